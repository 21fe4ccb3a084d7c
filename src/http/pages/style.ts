/* Two columns on wide screens; on narrow ones the page first and the navigation at the end. */
export const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1c2024, #edeef0); --soft: light-dark(#5c616b, #b0b4ba); --line: light-dark(#e0e1e6, #33373d); --back: light-dark(#fff, #111113); --code: light-dark(#f4f4f7, #1b1c1f); --accent: light-dark(#3451c6, #9eb1ff); --chosen: light-dark(#edf0fd, #21284a); }
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
body { margin: 0; display: grid; grid-template: auto 1fr / 16rem minmax(0, 1fr); font: 16px/1.65 system-ui, sans-serif; color: var(--text); background: var(--back); overflow-wrap: break-word; }
header { grid-column: 1 / -1; position: sticky; top: 0; z-index: 1; display: flex; justify-content: space-between; align-items: center; gap: 1rem; height: 3.5rem; padding: 0 1.5rem; background: var(--back); border-bottom: 1px solid var(--line); }
.home { font-weight: 650; color: var(--text); }
.to-contents { display: none; }
li { margin: .3rem 0; }
nav { grid-area: 2 / 1; position: sticky; top: 3.5rem; max-height: calc(100vh - 3.5rem); overflow: auto; padding: 1.25rem 1rem 2rem; font-size: .92rem; border-right: 1px solid var(--line); }
nav h2 { margin: 1.1rem .6rem .2rem; padding: 0; border: 0; font-size: .78rem; font-weight: 600; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: 0; }
nav a { display: block; padding: .22rem .6rem; border-radius: 6px; color: var(--text); }
nav a:hover { background: var(--code); text-decoration: none; }
nav a[aria-current] { background: var(--chosen); color: var(--accent); font-weight: 550; }
nav ul ul { margin: .2rem 0 .4rem .6rem; padding-left: .4rem; border-left: 1px solid var(--line); font-size: .94em; }
nav ul ul a { color: var(--soft); }
main { grid-area: 2 / 2; width: 100%; max-width: 62rem; min-height: calc(100vh - 3.5rem); padding: 2rem 2.5rem 5rem; min-width: 0; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
main p a, main li a { text-decoration: underline; text-decoration-color: color-mix(in srgb, currentColor 35%, transparent); text-underline-offset: .18em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 1.25rem; text-wrap: balance; }
h2 { margin: 2.75rem 0 1rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line); line-height: 1.3; }
h3 { margin: 2rem 0 .4rem; line-height: 1.35; }
h4 { margin: 1.2rem 0 .4rem; font-size: .85rem; color: var(--soft); }
li > p { margin: .3rem 0; }
blockquote { margin: 1rem 0; padding: .1rem 1.1rem; border-left: 3px solid var(--accent); background: var(--code); border-radius: 0 8px 8px 0; }
code { font: .88em ui-monospace, SFMono-Regular, Menlo, monospace; background: var(--code); padding: .12em .32em; border-radius: 4px; }
pre { background: var(--code); padding: .9rem 1.1rem; border-radius: 8px; overflow: auto; line-height: 1.5; }
pre code { padding: 0; background: none; }
.path { margin: 0; }
.path b { font: 600 .8rem ui-monospace, monospace; color: var(--accent); }
.path b.delete { color: light-dark(#c62a2f, #ff9592); }
.token { font-size: .8rem; color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: .1rem .6rem; white-space: nowrap; }
.next { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-weight: 550; }
.next + .source { margin-top: 1rem; }
.source { margin-top: 3rem; font-size: .88rem; color: var(--soft); }
h1 + .source { margin-top: 0; }
.wide { overflow-x: auto; margin: 1rem 0; }
.stacked { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { text-align: left; color: var(--soft); font-weight: 550; }
td, th { padding: .45rem .9rem .45rem 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: normal; }
thead tr:first-child > th { border-top: 0; }
thead:not(:has(th:not(:empty))) { display: none; }
td:first-child { white-space: nowrap; }
.wide td:first-child { white-space: normal; }
.wide td:first-child code { white-space: nowrap; }
tr:target { background: var(--chosen); }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
@media (max-width: 56rem) {
  body { display: block; }
  header { padding: 0 1.1rem; }
  .to-contents { display: block; }
  main { padding: 1.5rem 1.1rem 3rem; min-height: 0; }
  h1 { font-size: 1.65rem; }
  nav { position: static; max-height: none; border: 0; border-top: 1px solid var(--line); padding: 1rem .6rem 3rem; font-size: 1rem; }
  nav a { padding: .5rem .6rem; }
  .wide table { width: max-content; min-width: 100%; }
  .wide td { max-width: 17rem; }
  .stacked thead { display: none; }
  .stacked td { display: block; padding: 0; border: 0; white-space: normal; overflow-wrap: anywhere; }
  .stacked tr { display: block; padding: .6rem 0; border-top: 1px solid var(--line); }
}
@media print { header, nav, .source { display: none; } body { display: block; } main { max-width: none; padding: 0; } }
`;

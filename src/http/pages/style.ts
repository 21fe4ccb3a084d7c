export const STYLE = `
:root { color-scheme: light dark; --text: #1c2024; --soft: #60646c; --line: #e0e1e6; --back: #fff; --code: #f4f4f7; --accent: #3e63dd; }
@media (prefers-color-scheme: dark) { :root { --text: #edeef0; --soft: #b0b4ba; --line: #363a3f; --back: #111113; --code: #1b1c1f; --accent: #9eb1ff; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 1fr); font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: var(--back); }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 2rem 1.5rem; }
nav ul { list-style: none; margin: 1rem 0; padding: 0; }
nav li { margin: .35rem 0; }
main { max-width: 56rem; min-height: 100vh; padding: 2rem; border-left: 1px solid var(--line); min-width: 0; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
h1 { font-size: 2rem; margin: 0 0 1rem; }
h2 { margin: 3rem 0 1rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2rem 0 .4rem; }
h4 { margin: 1.2rem 0 .4rem; font-size: .85rem; color: var(--soft); }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, monospace; background: var(--code); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--code); padding: 1rem; border-radius: 8px; overflow: auto; }
pre code { padding: 0; }
.path { margin: 0; }
.path b { font: 600 .8rem ui-monospace, monospace; color: var(--accent); }
.path b.delete { color: #c62a2f; }
.token { font-size: .8rem; color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: .1rem .6rem; white-space: nowrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { text-align: left; color: var(--soft); font-weight: 500; }
td, th { padding: .4rem 1rem .4rem 0; border-top: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; }
tr:target { background: var(--code); }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
@media (max-width: 48rem) { body { display: block; } nav { position: static; padding: 1rem 2rem 0; } nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; } main { border: 0; padding: 1rem 2rem; } thead { display: none; } td { display: block; padding: 0; border: 0; white-space: normal; } tr { display: block; padding: .6rem 0; border-top: 1px solid var(--line); } }
`;

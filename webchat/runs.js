/*
 * Formatted text as DOM nodes. Nothing here parses markup: texts become text nodes, and only URLs with a safe scheme
 * become links.
 */

/**
 * @typedef {{ text: string, bold?: true, italic?: true, strike?: true, code?: true, block?: true, link?: string }} Run
 */

const SAFE = /^(?:https?:\/\/|mailto:|tel:)/i;
const URLS = /\bhttps?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]]/gi;

/** @param {unknown} value @returns {value is string} */
export const isText = (value) => typeof value === 'string';

/** @param {unknown} url @returns {url is string} */
export const isSafe = (url) => isText(url) && SAFE.test(url) && URL.canParse(url);

/**
 * Creates an element with a class and children.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} [className]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, className = '', ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/**
 * A link that opens in a new tab.
 * @param {string} url
 * @param {...(Node | string)} children
 */
export function outerLink(url, ...children) {
  const link = make('a', '', ...children);
  link.href = url;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  return link;
}

/** @param {readonly Run[]} runs */
export function writeRuns(runs) {
  const text = make('div', 'text');
  text.dir = 'auto';
  let block = null;
  for (const run of runs) {
    if (!isText(run?.text)) continue;
    if (!run.block) {
      block = null;
      text.append(writeRun(run));
      continue;
    }
    // Adjacent code runs form one block.
    if (!block) text.append((block = make('pre')));
    block.append(run.text);
  }
  return text;
}

/** @param {Run} run @returns {Node} */
function writeRun({ text, bold, italic, strike, code, link }) {
  /** @type {Node} */
  let node = code || isSafe(link) ? document.createTextNode(text) : withLinks(text);
  if (code) node = make('code', '', node);
  if (strike) node = make('s', '', node);
  if (italic) node = make('em', '', node);
  if (bold) node = make('strong', '', node);
  return isSafe(link) ? outerLink(link, node) : node;
}

/** Turns URLs in a text into links. @param {string} text */
function withLinks(text) {
  const nodes = document.createDocumentFragment();
  let end = 0;
  for (const { 0: url, index } of text.matchAll(URLS)) {
    nodes.append(text.slice(end, index), isSafe(url) ? outerLink(url, url) : url);
    end = index + url.length;
  }
  nodes.append(text.slice(end));
  return nodes;
}

/** The text without formatting. @param {unknown} runs */
export function plainText(runs) {
  return Array.isArray(runs) ? runs.map((run) => (isText(run?.text) ? run.text : '')).join('') : '';
}

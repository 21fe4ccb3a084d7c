/*
 * Text with looks, as nodes of the page. Nothing here reads markup: every text becomes a text node, and a link
 * is one only if it leads where a browser may go without harm.
 */

/**
 * @typedef {{ text: string, bold?: true, italic?: true, strike?: true, code?: true, block?: true, link?: string }} Run
 */

const SAFE = /^(?:https?:\/\/|mailto:|tel:)/i;
const ADDRESS = /\bhttps?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]]/gi;

/** @param {unknown} value @returns {value is string} */
export const isText = (value) => typeof value === 'string';

/** @param {unknown} url @returns {url is string} */
export const isSafe = (url) => isText(url) && SAFE.test(url) && URL.canParse(url);

/**
 * An element with a class and what is in it.
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
 * What leads out of the chat, never in its place.
 * @param {string} url
 * @param {...(Node | string)} children
 */
export function leading(url, ...children) {
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
    // Lines of code beside each other are one block.
    if (!block) text.append((block = make('pre')));
    block.append(run.text);
  }
  return text;
}

/** @param {Run} run @returns {Node} */
function writeRun({ text, bold, italic, strike, code, link }) {
  /** @type {Node} */
  let node = code || isSafe(link) ? document.createTextNode(text) : withAddresses(text);
  if (code) node = make('code', '', node);
  if (strike) node = make('s', '', node);
  if (italic) node = make('em', '', node);
  if (bold) node = make('strong', '', node);
  return isSafe(link) ? leading(link, node) : node;
}

/** Addresses in a text lead where they say. @param {string} text */
function withAddresses(text) {
  const nodes = document.createDocumentFragment();
  let end = 0;
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    nodes.append(text.slice(end, index), isSafe(address) ? leading(address, address) : address);
    end = index + address.length;
  }
  nodes.append(text.slice(end));
  return nodes;
}

/** The bare text, for who shows no looks. @param {unknown} runs */
export function plainText(runs) {
  return Array.isArray(runs) ? runs.map((run) => (isText(run?.text) ? run.text : '')).join('') : '';
}

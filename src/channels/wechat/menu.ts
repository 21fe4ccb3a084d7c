import { type Button, payloadOf } from '../../model/button.ts';

/*
 * Ids of items of a menu. WeChat puts them into an address without escaping them, so other characters than these are
 * written as base64url. How long they may be is documented of the menus of WeChat for companies, which look the same:
 * https://developer.work.weixin.qq.com/document/path/94677
 */

export const MOST_OF_MENU_ID = 64;

const SAFE = /^[\w-]+$/;

/** Of a button without a value, its name comes back, whatever the id says. */
export const menuId = (button: Button, index: number): string =>
  button.value === undefined ? `.${index + 1}` : writeMenuId(button);

export function writeMenuId(button: Button): string {
  const value = payloadOf(button);
  return SAFE.test(value) ? value : `~${Buffer.from(value).toString('base64url')}`;
}

export function readMenuId(id: string, name: string): string {
  if (/^\.\d+$/.test(id)) return name;
  return id.startsWith('~') ? Buffer.from(id.slice(1), 'base64url').toString() : id;
}

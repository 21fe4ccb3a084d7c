import { type Button, payloadOf } from '../../model/button.ts';

/*
 * Ids of menu items. WeChat puts them into a URL without escaping, so other characters are encoded as base64url.
 * Their maximum length is documented for WeChat Work, whose menus look the same:
 * https://developer.work.weixin.qq.com/document/path/94677
 */

export const MAX_MENU_ID_LENGTH = 64;

const SAFE = /^[\w-]+$/;

/** A button without a value sends its label back, whatever the id. */
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

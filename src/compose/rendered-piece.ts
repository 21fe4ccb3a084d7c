import { type TextPart, type VendorRequest, linkTo } from '../channels/channel.ts';
import { type RichText, type Run, joined, unstyled } from '../lib/rich-text/rich-text.ts';
import { type Button, destinationOf } from '../model/button.ts';
import type { MediaPiece, PlacePiece } from './content.ts';

/** A rendered piece, or the text that replaces it. */
export type RenderedPiece =
  | { kind: 'text'; rich: RichText }
  | { kind: 'request'; request: VendorRequest };
export type Composed =
  | { kind: 'text'; part: TextPart }
  | { kind: 'request'; request: VendorRequest };

/** Joins adjacent texts. */
export function merged(parts: readonly RenderedPiece[]): RenderedPiece[] {
  const result: ({ kind: 'text'; rich: Run[] } | Extract<RenderedPiece, { kind: 'request' }>)[] =
    [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.kind === 'request') result.push(part);
    else if (last?.kind === 'text') last.rich.push(...unstyled('\n'), ...part.rich);
    else result.push({ kind: 'text', rich: [...part.rich] });
  }
  return result.map((part) =>
    part.kind === 'text' ? { kind: 'text', rich: joined(part.rich) } : part,
  );
}

/** A link to the file, below its caption. */
export function linkFallback(piece: MediaPiece): RenderedPiece {
  const { caption } = piece;
  const before = caption.length === 0 ? [] : [...caption, ...unstyled('\n')];
  return { kind: 'text', rich: joined([...before, ...unstyled(linkTo(piece))]) };
}

export function placeText({ name = '', latitude, longitude }: PlacePiece): string {
  const map = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}`;
  return [name, `${latitude}, ${longitude}`, map].filter((line) => line !== '').join('\n');
}

export function listOf(buttons: readonly Button[]): RenderedPiece {
  const lines = buttons.map((button, i) => `${i + 1}. ${lineOf(button)}`);
  return { kind: 'text', rich: unstyled(lines.join('\n')) };
}

/** One line per button. */
export function linesOf(buttons: readonly Button[]): RenderedPiece {
  return { kind: 'text', rich: unstyled(buttons.map(lineOf).join('\n')) };
}

function lineOf(button: Button): string {
  const { name } = button;
  const where = destinationOf(button);
  return where === undefined || where === name ? name : `${name}: ${where}`;
}

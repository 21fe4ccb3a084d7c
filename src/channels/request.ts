import type { RichText } from '../lib/rich-text/rich-text.ts';
import type { Segments } from '../lib/text/gsm.ts';
import type { Credentials } from '../model/integration.ts';
import type { MessageOptions } from '../model/sending/instructions.ts';
import type { Millis } from '../model/timestamp.ts';

/* The parts of a message, and the vendor request that a channel renders for each. */

/** A text in the channel's markup, and its source. Never longer than the channel accepts. */
export interface TextPart {
  text: string;
  rich: RichText;
}

/** An image, video, audio or other file at a publicly reachable URL. */
export interface MediaPart {
  url: string;
  mediaType?: string;
  name?: string;
  /** The URL of a preview image. */
  preview?: string;
  /**
   * Whether the file was received from a channel: its URL expires, so it is uploaded to vendors that accept uploads.
   */
  isReceived?: true;
  /** Whether the message being edited already has this file; it stays in place where the channel allows that. */
  isKept?: true;
  /** In seconds. */
  duration?: number;
  /** Empty when there is none. */
  caption: TextPart;
}

export interface PlacePart {
  latitude: number;
  longitude: number;
  name?: string;
}

/** Where a message goes, as opposed to its content. */
export interface Destination {
  recipient: string;
  credentials: Credentials;
  /** Used where the channel has a title, such as the subject of an email. */
  title?: string;
  /** Values of the channel's options, validated. */
  options: MessageOptions;
  /** When the message expires: `endTime` of the activity. */
  expiresAt?: Millis;
}

/** The vendor request for one part of a message. A dry run (`dry_run`) shows it to users, so it holds no secrets. */
export interface VendorRequest {
  /** The vendor's method, where it has several. */
  call?: string;
  body: Readonly<Record<string, unknown>>;
  /** Downloaded when the part is sent, and uploaded to the vendor, which requires the bytes. */
  file?: RequestFile;
  /** Downloaded when the part is sent, and included in the request. */
  attachments?: readonly Attachment[];
  /** When the message expires, for vendors that accept the seconds until then; see validity.ts. */
  expiresAt?: Millis;
  /** The number of SMS segments of the text. */
  segments?: Segments;
}

export interface RequestFile {
  url: string;
  mediaType?: string;
  name?: string;
  /** Whether the vendor fetches the file itself, so that we download it only to measure its size. */
  isMeasured?: true;
  /** Whether the message being edited already has the file. */
  isKept?: true;
}

/** An email attachment, and the text that replaces it if the download fails. */
export interface Attachment extends RequestFile {
  fallback: string;
}

/** Content the channel cannot send as it is, and the reason. compose/degradations.ts defines how it degrades. */
export interface Unsupported {
  unsupported: string;
}

import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { it } from 'node:test';

import { MAX_PLAINTEXT_BYTES, encrypt } from '../../../src/channels/webpush/encryption.ts';
import { BROWSER } from '../../emulators/webpush.ts';

const bytes = (text: string) => Buffer.from(text, 'base64url');
const browser = { publicKey: bytes(BROWSER.p256dh), authSecret: bytes(BROWSER.auth) };

it('encrypts the example of RFC 8291, appendix A, to the same bytes', () => {
  const sender = createECDH('prime256v1');
  sender.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'));
  const salt = bytes('DGv6ra1nlYgDCS1FRnbzlw');
  const plaintext = Buffer.from('When I grow up, I want to be a watermelon');
  assert.equal(
    encrypt(plaintext, browser, { sender, salt }).toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

it('encrypts the longest message to 4,096 bytes, each time differently', () => {
  const longest = Buffer.alloc(MAX_PLAINTEXT_BYTES);
  const [one, other] = [encrypt(longest, browser), encrypt(longest, browser)];
  assert.equal(one.length, 4096);
  assert.notDeepEqual(one.subarray(0, 16), other.subarray(0, 16));
  assert.notDeepEqual(one.subarray(21, 86), other.subarray(21, 86));
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { PHONE_ZONES, phoneZone, recipientZone } from './phone-zone.ts';

describe('zones of phone numbers', () => {
  it('the zone of a phone number is that of its country, if the country has one', () => {
    assert.equal(phoneZone('+4915112345678'), 'Europe/Berlin');
    assert.equal(phoneZone('+919812345678'), 'Asia/Kolkata');
    assert.equal(phoneZone('+35318001234'), 'Europe/Dublin');
  });

  it('phone numbers of countries with several zones have no zone', () => {
    for (const number of ['+12125550100', '+79161234567', '+5511912345678', '+61412345678'])
      assert.equal(phoneZone(number), undefined, number);
  });

  it('addresses other than phone numbers have no zone', () => {
    for (const address of ['4915112345678', '+49', 'ada@example.com', '123456789', ''])
      assert.equal(phoneZone(address), undefined, address);
  });

  it('the phone number is read from the consent key', () => {
    assert.equal(recipientZone('sms:+4915112345678'), 'Europe/Berlin');
    assert.equal(recipientZone('sandbox.whatsapp:+4915112345678'), 'Europe/Berlin');
    assert.equal(recipientZone('email:ada@example.com'), undefined);
    assert.equal(recipientZone(null), undefined);
  });

  it('no calling code is the beginning of another, and every zone exists', () => {
    const codes = [...PHONE_ZONES.keys()];
    for (const code of codes) {
      assert.ok(!codes.some((other) => other !== code && other.startsWith(code)), code);
    }
    for (const zone of PHONE_ZONES.values()) {
      assert.doesNotThrow(() => new Intl.DateTimeFormat('en', { timeZone: zone }), zone);
    }
  });
});

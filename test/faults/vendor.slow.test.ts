import { describe, it } from 'node:test';

import { troubleVendor } from './scenarios/slow-vendor.ts';

describe('a vendor outage', () => {
  it('a vendor outage with 429 responses delays messages, loses none, and does not flood the vendor', async () => {
    await troubleVendor({ engine: 'sqlite', trouble: 'storm', seconds: 5, progress() {} });
  });

  it('a vendor outage without responses delays messages, loses none, and does not block accepting', async () => {
    await troubleVendor({ engine: 'sqlite', trouble: 'hang', seconds: 3, progress() {} });
  });
});

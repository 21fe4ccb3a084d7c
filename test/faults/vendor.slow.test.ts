import { describe, it } from 'node:test';

import { troubleVendor } from './slow-vendor.ts';

describe('a vendor in trouble', () => {
  it('that refuses everything by 429 gets it all in the end, and is not pestered', async () => {
    await troubleVendor({ engine: 'sqlite', trouble: 'storm', seconds: 5, progress() {} });
  });

  it('that hangs gets it all in the end, and keeps nobody from being accepted', async () => {
    await troubleVendor({ engine: 'sqlite', trouble: 'hang', seconds: 3, progress() {} });
  });
});

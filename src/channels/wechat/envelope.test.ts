import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { MAX_XML_BYTES, MAX_XML_DEPTH, MAX_XML_ELEMENTS, fieldsOfXml } from './envelope.ts';

describe("WeChat's XML", () => {
  it("WeChat's XML is parsed within limits on bytes, depth and elements only", () => {
    const within = (inner: string) => fieldsOfXml(`<xml><A>1</A>${inner}</xml>`).get('A');
    const deep = (levels: number) => '<b>'.repeat(levels) + '</b>'.repeat(levels);
    assert.equal(within(deep(MAX_XML_DEPTH - 1)), '1');
    assert.equal(within(deep(MAX_XML_DEPTH)), undefined);
    assert.equal(within('<b/>'.repeat(MAX_XML_ELEMENTS - 2)), '1');
    assert.equal(within('<b/>'.repeat(MAX_XML_ELEMENTS - 1)), undefined);
    const rest = MAX_XML_BYTES - '<xml><A>1</A></xml>'.length;
    assert.equal(within('x'.repeat(rest)), '1');
    assert.equal(within('x'.repeat(rest + 1)), undefined);
  });
});

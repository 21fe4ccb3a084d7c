import { createPrivateKey, createPublicKey, sign } from 'node:crypto';

/*
 * The key of simulated vendors that sign with RSA. It is public on purpose: the same on every node, it signs only
 * what the simulators send, and nothing outside of the sandbox trusts it.
 */
const FAKE_KEY = {
  kty: 'RSA',
  n: 'jrp1zVJ9Gddk0qt1XDdSiqLulCuQksTlGKxlZth4ee99du1ZDxAi2MDCvd1TbpBN3PwJ1E2-qqIYqrpm10vZ87mwhPc-chcXWI8A3K0yfThl19TxPMwLDhvQgvATKNHf5Xe8oGaWj5HLIDrBkAWjDImh8BZ8C3v1hVO42C8e_W9HjKRmc5stgDMPE57x8b0WP_iN0z7WfgoBstl8AVHwHMYHZnR3ALNeS9oCy5oOqD14u1VEBXLg85LaUXWVAZkKjPcwrdwMeMNGUz20pbIik4c_fFCk8z4mIYlptLHH9SAfkJp6fkj2P6FxcXRnLpZ8C2zaaDXlvdWJ5nmZc-1Pfw',
  e: 'AQAB',
  d: 'CZbfKvmDpzSmClNzvKDePlXzvT0aEbUB3BZab75T2y7AhA4uoXOeQRLeYqmX8pc7wVZRBhRnyYi_gIT_5i-AnWlDQgO8jHzJrZevYU7k_q3HMJOW1lSyhMhQn44oCLePw-03XU2B3cktV7qAM8Af3svxId4uMl__NG3WFExCLZkZMwLT6Ka3PQS0k2DxfhplzMyRHUa7nvl6xaHlzIsVdtN91Q6NMUQTTCBZThwyIx7m27ey83Y-qW0SzU5cXLDb8ICF3lXeK4z5AIbUOUq1ctmBUc4nhylduY72bYsGvTAMghmW5WevKgD3G68hJsw8Up-3-hsSDt0xv6BAzvOANQ',
  p: 'xIDSjJybdfAVHH_lSv3gKrf8ns5rYC5hy5RsumY_pwEjN8iiQtnfSCiybMRkS2uAMk-2ippev-JcuyIjJcxb76XQQ6DtFRJSCbSa7JudpbyY_mREsxK62OnOPLhoPzKpXfuADj5yYOQ2eprtFQ98xRFvK4HdgArYnBTcGL-JxzU',
  q: 'ufF9jXllXxvXHi_UdlDYSL9IcPORPKw1xxCiwzo3kAPPlEqhKuOS8lcm_7qhQj65OdN-UiIIo6szaixMiHn58iKwiAzckJWYYZ25op6I4S0T0n5f4SwmQ9AnUR6BWgCtIn49JG_n1li-3QZdLcnJXjR3uQu1CKZi0orPcuTq7mM',
  dp: 'Rzzol99ioLQEA0v-hVxae0IuTChLVxgZjiNl84GEC_hmmx-aa5_uyYsvfC0Kqyjy1cp-Q-tI9EmNEq6CjX5zygKT6SCbMqtsoGYgUCzuTxp7YKZbHYxpvp-si-jSqi6kphS6TO-oqaWydmpaDuuJcSwr4Fr5QSUteBA75qDxww0',
  dq: 'nTggFaAAY5ORpzd_6G5hAdmiscZwFiHx8pgRVwsBceaW_GbBsRbs57VjBzVRJkcMrGUz2NRoA6M8_Nfp-jdQbDiClPZzBFlIl7kZ_fMX_3Ty3rb18Nk4nXwB0mf9rREHUzP0FLv-BdHRx-aaoJ2OgvXQCQlqD59HzYeK8jW2oss',
  qi: 'Vsh9BY9j0n8mvieR1v7UathTg3UVVl4TdV8wlFSJsUhMKO6Gp2AZaA02aCgPHHYMvTMvYjvnUpMyDY4Byv77EKrJIr-hO366PhuANY8DZu4BlfdgTTmcfValEcPlm9geR2i_NYNEltFGUMSRAQxuh0Dc3XxXVXiKzgKJb3iWAtc',
};

export const fakeKey = createPrivateKey({ key: FAKE_KEY, format: 'jwk' });
export const fakePublicKey = createPublicKey(fakeKey);

/** The public key as vendors publish it. */
export const publishedKey = (kid: string) => ({
  ...fakePublicKey.export({ format: 'jwk' }),
  kid,
  use: 'sig',
});

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A JSON Web Token, signed with RS256. */
export function signedToken(claims: object, header: object, key = fakeKey): string {
  const input = `${encoded({ typ: 'JWT', alg: 'RS256', ...header })}.${encoded(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

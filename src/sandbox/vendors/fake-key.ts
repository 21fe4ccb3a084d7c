import { createPrivateKey, createPublicKey } from 'node:crypto';

/* An RSA key for vendors whose customers sign their requests. It is public, and opens nothing. */

const FAKE = [
  'MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCeC3uTvzNxVARYSTvmgT6wp6niwQKyZL0aKwQQO/ttPu9/PbOA',
  'tG357x1vhNPSPn8SsNU4RKemCHKxE7crEAGJ3kKiDxYBI/n8iUmvTcqwmHqvVttBPJEBV9KynaWbaicYpr8O10Dl2nBQXZ/a9wd1',
  'nmWCP9VeNQZUsAd9hE2caDmCtRFr6zJA3e2b1iIbgBHjHGxFsoFn5m4ttqCvDAhGEW/CeAnmRFfC7n4uHOwJlqFlTmHa451hum9r',
  'yiXJLRqN0e9yzAx76cB4RkbMQUzeLHpAbH8sdhlNgJocClQS7bDCUG7PcvQYc7lB6pB5kNJdmMPg2e6Wr1GxCQj7bU0tAgMBAAEC',
  'ggEAHGy+Rh1uWCSfP220e0mlh8ov8Nt766/Ynvs7mNvg5Y4bLwxe23gYC4qpBaSjID4jRq5NOviGGoOMdTKxj+oqDKzP2SvTblMV',
  'JAlhGkloegiCkEST3JDTF6W+/GcEIQafj3x2AmpOfsihyKJ+HLivO8VIRnvKmU36HIMoZbfE6atAvWn9UjuGjz9Gin4aI1O4NQiG',
  'ZJcKa1SIfUzirn0S4o1ige6/5ML9q0e7GKborzoAusw/B292T1ewjjD2ryTz4mkZqjqGbDMX+JpMX4VXSwh7HD1btwqLAtA590gX',
  'fpDvXt6IoyBiGGancNLCALMUUjWbSqK21HH/7okjAe/5tQKBgQDQteV9e67nhwQbop42M8odAEenFTj21OOTFb+6p4FpZdWW2Xg9',
  'sasVPG3UoNa1WXGP9sUM1IxfnRMeTE2yK8U3n+q4OsUssEIH89LaUlkdgP81Vjmn9RqNvXiDrdKbsJ5VFD+Nm/BYWPvXFz7z5W9R',
  'f7hxPRn/9HaMr1/JEH8P4wKBgQDB2sKeE4gumuIko/VAr6hTx/LzQKVZFzb8Jz8SFr//VmDgawCrkpmvVLbdRx9O0JPsCUiirTIs',
  'OT2G0IbhHnIBvY6wJGkduNBPQLQ2KUr3YupfPoA/ZJIUff/ypgipDtXMlChNppkPlEZjwK2Xgho6JNVSe3udxV3V3tKXLrGbrwKB',
  'gD7Pbwgrj8CXznGup+RyA5JkwiuTZHhMK0zZj8DRpk2c2wGx4tDWRkF21SrXWKZtC5Mi1bx9vt0LfXRxzDQhnhGWa+ITtcE0LjsM',
  'ctlHTRBnAOcBUwqr5djgO4ONbUNzjMLX/CRW2KcN6ISbt1NZKf4h7NUPaWKxJHhEUxREhai3AoGBAJfzzTexob6+Y2NLLdQtnKlH',
  'gxXP54wlGVGfxd18/bS9VaSz20uh11vK8KgUtuLFth1/zXLOhhSKLcM+M2vEvKLGnlFNySOmGYr18gy+Y2f1HjfYOxj10VfEyFrA',
  'cOtrmIUK4Wi0nSfMFzzb7HZlYf+PnbNQ3b321i3twm8FB+07AoGBAM8iIKRflD/QRcj+7762A/du/SirysAKHozTCaGlS45OdB2i',
  '//XbgzGMq+uRb4FuHCW5t+0wN99h/mR16PBH9IShW8rZ57uJt0A9A/4wzfKaX9CKTmD2hmXZSsRJ4rgwPw4Ewc8jrMZmonzfP1nR',
  '13CLAsKDNR5Mz2HEMrHb5IaV',
].join('');

const key = createPrivateKey({ key: Buffer.from(FAKE, 'base64'), format: 'der', type: 'pkcs8' });

/** In PEM, as customers paste it. */
export const FAKE_PRIVATE_KEY = key.export({ type: 'pkcs8', format: 'pem' }).toString();

export const FAKE_PUBLIC_KEY = createPublicKey(key);

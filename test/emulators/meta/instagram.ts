import { instagram } from '../../../src/sandbox/vendors/meta/instagram.ts';
import { openSendApi } from './send-api.ts';

export { ACCOUNT_TOKEN } from '../../../src/sandbox/vendors/meta/instagram.ts';

export const openInstagram = async () => openSendApi(instagram);

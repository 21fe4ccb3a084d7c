import { messenger } from '../../../src/sandbox/vendors/meta/messenger.ts';
import { openSendApi } from './send-api.ts';

export const openMessenger = async () => openSendApi(messenger);

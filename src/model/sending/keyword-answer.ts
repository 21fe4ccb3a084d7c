import { ACTIVITY_STREAMS } from '../activity.ts';
import type { Id } from '../id.ts';
import type { NewMessage } from '../message.ts';
import type { Millis } from '../timestamp.ts';
import type { KeywordAnswers } from './consent.ts';
import { writeInstructions } from './instructions.ts';
import type { Keyword } from './keywords.ts';

/* The answers to words such as STOP. Each fits into one SMS: 160 characters of the GSM alphabet, otherwise 70. */

const ANSWERS: Readonly<Record<string, Readonly<Record<Keyword, string>>>> = {
  en: {
    stop: 'You will receive no more messages from this number. Reply START to resume.',
    start: 'You will receive messages from this number again. Reply STOP to end them.',
    help: 'Reply STOP to end messages from this number, START to resume them. Message and data rates may apply.',
  },
  es: {
    stop: 'No recibirá más mensajes de este número. Responda START para reanudar.',
    start: 'Volverá a recibir mensajes de este número. Responda STOP para parar.',
    help: 'Responda STOP para no recibir mensajes, START para reanudarlos.',
  },
  fr: {
    stop: 'Vous ne recevrez plus de messages de ce numéro. Répondez START pour les reprendre.',
    start:
      'Vous recevrez à nouveau les messages de ce numéro. Répondez STOP pour ne plus en recevoir.',
    help: 'Répondez STOP pour ne plus recevoir de messages de ce numéro, START pour les reprendre.',
  },
  de: {
    stop: 'Sie erhalten keine Nachrichten mehr von dieser Nummer. Mit START geht es weiter.',
    start: 'Sie erhalten wieder Nachrichten von dieser Nummer. Mit STOP beenden Sie sie.',
    help: 'Antworten Sie STOP, um Nachrichten dieser Nummer zu beenden, START, um sie wieder zu erhalten.',
  },
  it: {
    stop: 'Non riceverai altri messaggi da questo numero. Rispondi START per riprenderli.',
    start: 'Riceverai di nuovo i messaggi da questo numero. Rispondi STOP per fermarli.',
    help: 'Rispondi STOP per non ricevere messaggi da questo numero, START per riprenderli.',
  },
  pt: {
    stop: 'Não receberá mais mensagens deste número. Responda START para retomar.',
    start: 'Voltará a receber mensagens deste número. Responda STOP para parar.',
    help: 'Responda STOP para parar as mensagens, START para retomar.',
  },
  nl: {
    stop: 'U ontvangt geen berichten meer van dit nummer. Antwoord START om te hervatten.',
    start: 'U ontvangt weer berichten van dit nummer. Antwoord STOP om te stoppen.',
    help: 'Antwoord STOP om berichten van dit nummer te stoppen, START om te hervatten.',
  },
  pl: {
    stop: 'Nie otrzymasz już wiadomości z tego numeru. Odpisz START, by wznowić.',
    start: 'Znów otrzymasz wiadomości z tego numeru. Odpisz STOP, by je zatrzymać.',
    help: 'Odpisz STOP, aby zatrzymać wiadomości, lub START, aby je wznowić.',
  },
  tr: {
    stop: 'Bu numaradan artık mesaj almayacaksınız. Devam için START yazın.',
    start: 'Bu numaradan yeniden mesaj alacaksınız. Durdurmak için STOP yazın.',
    help: 'Mesajları durdurmak için STOP, devam için START yazın.',
  },
  ar: {
    stop: 'لن تصلك رسائل أخرى من هذا الرقم. أرسل START للاستئناف.',
    start: 'ستصلك الرسائل من هذا الرقم مجددًا. أرسل STOP لإيقافها.',
    help: 'أرسل STOP لإيقاف الرسائل أو START لاستئنافها.',
  },
  hi: {
    stop: 'इस नंबर से अब और संदेश नहीं आएँगे। फिर से पाने के लिए START भेजें।',
    start: 'इस नंबर से संदेश फिर आएँगे। रोकने के लिए STOP भेजें।',
    help: 'संदेश रोकने के लिए STOP, फिर पाने के लिए START भेजें।',
  },
  ja: {
    stop: 'この番号からの配信を停止しました。再開するにはSTARTと返信してください。',
    start: 'この番号からの配信を再開しました。停止するにはSTOPと返信してください。',
    help: '停止するにはSTOP、再開するにはSTARTと返信してください。',
  },
};

/** A keyword that must be answered. */
export interface AnswerableKeyword {
  keyword: Keyword;
  language: string;
  /** The `to.id` of the answer. */
  recipient: string;
  /** Whether the integration is simulated. */
  isSandbox: boolean;
}

/** The answer by the settings of the application; undefined if it sends none. */
export function answerText(
  { keyword, language }: Pick<AnswerableKeyword, 'keyword' | 'language'>,
  answers: KeywordAnswers,
): string | undefined {
  const text = answers[keyword] ?? (ANSWERS[language] ?? ANSWERS['en'])?.[keyword];
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** The message with an answer. It needs no consent: it is the last message to a person who stopped messages. */
export function answerMessage(
  { recipient, isSandbox }: AnswerableKeyword,
  text: string,
  { applicationId, integrationId, at }: { applicationId: Id; integrationId: Id; at: Millis },
): NewMessage {
  const activity = {
    '@context': ACTIVITY_STREAMS,
    type: 'Create',
    generator: { type: 'Service', id: String(integrationId) },
    to: { type: 'Person', id: recipient },
    object: { type: 'Note', content: text },
  };
  return {
    applicationId,
    integrationId,
    recipient,
    activity: JSON.stringify(activity),
    instructions: writeInstructions({ ...(isSandbox && { sandbox: true }) }),
    category: null,
    consentKey: null,
    objectId: null,
    type: 'Create',
    expiresAt: null,
    createdAt: at,
    trace: null,
  };
}

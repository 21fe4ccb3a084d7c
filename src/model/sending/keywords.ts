/*
 * The words with which people stop and resume messages on a phone. Only a message that consists of nothing else counts:
 * "Please do not stop" stops nothing.
 */

export type Keyword = 'stop' | 'start' | 'help';

/**
 * By language, in lower case, without accents that people leave out, separated by commas. Words that may
 * answer a question in another language are left out: Turkish "red" is also a color.
 */
const WORDS: Readonly<Record<string, Readonly<Record<Keyword, string>>>> = {
  en: {
    stop: 'stop,stopall,stop all,unsubscribe,cancel,end,quit,revoke,optout,opt out,opt-out',
    start: 'start,unstop,subscribe,resume,optin,opt in,opt-in',
    help: 'help,info',
  },
  es: { stop: 'parar,alto,baja,cancelar,detener', start: 'iniciar,comenzar,alta', help: 'ayuda' },
  fr: {
    stop: 'arret,arreter,desabonner,desinscrire',
    start: 'demarrer,reprendre,reabonner',
    help: 'aide',
  },
  de: { stop: 'stopp,abmelden,abbestellen,beenden', start: 'starten,anmelden', help: 'hilfe' },
  it: {
    stop: 'ferma,fermare,annulla,cancella,disiscrivi,basta',
    start: 'avvia,inizia,iscrivi',
    help: 'aiuto',
  },
  pt: { stop: 'pare,parar,sair,cancelar', start: 'comecar,iniciar,voltar', help: 'ajuda' },
  nl: { stop: 'stoppen,afmelden,uitschrijven', start: 'aanmelden,hervatten', help: 'hulp' },
  pl: { stop: 'koniec,wypisz,rezygnuje,anuluj', start: 'wznow,zapisz', help: 'pomoc' },
  tr: { stop: 'dur,iptal,ret', start: 'basla,onay', help: 'yardim' },
  ar: { stop: 'توقف,إيقاف,ايقاف,إلغاء,الغاء', start: 'ابدأ,ابدا,اشتراك', help: 'مساعدة' },
  hi: { stop: 'रोकें,रोको,बंद,बंद करें', start: 'शुरू,शुरू करें', help: 'मदद,सहायता' },
  ja: { stop: '停止,配信停止,中止,解除,ストップ', start: '開始,再開,スタート', help: 'ヘルプ' },
};

/** A keyword as a person wrote it. */
export interface WrittenKeyword {
  keyword: Keyword;
  /** If several languages have the word, the first of them in `WORDS`. */
  language: string;
  /** In lower case, without accents, spaces and punctuation around it. */
  word: string;
}

const KEYWORDS: ReadonlyMap<string, WrittenKeyword> = allKeywords();

function allKeywords(): Map<string, WrittenKeyword> {
  const keywords = new Map<string, WrittenKeyword>();
  for (const [language, byKeyword] of Object.entries(WORDS)) {
    for (const keyword of ['stop', 'start', 'help'] as const) {
      for (const word of byKeyword[keyword].split(',')) {
        if (!keywords.has(word)) keywords.set(word, { keyword, language, word });
      }
    }
  }
  return keywords;
}

/** Longer texts are not keywords. */
const MAX_LENGTH = 40;

/** The keyword that the text consists of, if any. Case, accents, and spaces and punctuation around it do not matter. */
export function keywordIn(text: string): WrittenKeyword | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const word = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('ı', 'i');
  return KEYWORDS.get(word) ?? KEYWORDS.get(withoutAccents(word));
}

const withoutAccents = (word: string): string =>
  word
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll('ł', 'l');

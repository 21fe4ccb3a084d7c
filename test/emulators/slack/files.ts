/** Received files and their addresses. */
export const SHARED: Readonly<Record<string, string>> = {
  F0SHARED: 'https://files.slack.com/files-pri/T1-F0SHARED/mill.png',
  F0ELSEWHERE: 'https://drive.example.com/mill.png',
};

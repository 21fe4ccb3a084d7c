/** Whether an application, integration, user or key may be used. */
export type State = 'enable' | 'disable';

export const STATES: readonly State[] = ['enable', 'disable'];

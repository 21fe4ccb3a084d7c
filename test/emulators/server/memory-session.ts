import type { Session, SessionReport } from '../../../src/sandbox/session.ts';
import { MemoryPhone } from './memory-phone.ts';

/** A session of a simulator without faults, whose phone the test can look at. */
export class MemorySession implements Session {
  readonly phone = new MemoryPhone();
  /** Reports what people did, once the server follows. */
  report: (report: SessionReport) => Promise<void> | void = () => {};

  async admits(): Promise<boolean> {
    return true;
  }

  refuseLogins(): void {}

  async take(_to: string, show: () => Promise<unknown>): Promise<{ seconds: number }> {
    await show();
    return { seconds: 0 };
  }

  follow(report: (report: SessionReport) => Promise<void> | void): void {
    this.report = report;
  }
}

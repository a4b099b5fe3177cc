/** Small shared state outside the database: counts in windows, messages between instances. */

/** The state of one fixed window after a request was counted. */
export interface WindowCount {
  readonly count: number
  /** When the window ends, by the clock that `hit` is given. */
  readonly resetAt: number
}

/** The interface of memory and Redis; Redis falls back to memory within 100 ms when it stops answering. */
export interface Store {
  readonly kind: 'memory' | 'redis'
  /**
   * Counts one request in the window that `now` falls in, a monotonic time in milliseconds; a window begins with the
   * first request in it. Never rejects.
   */
  hit(bucket: string, id: string, windowMs: number, now: number): Promise<WindowCount>
  /**
   * Sends a message to every instance, this one included; resolves when the listeners of this instance were called.
   * Never rejects.
   */
  publish(channel: string, message: string): Promise<void>
  /**
   * `missed` is called when messages of other instances may have been lost, so that whatever depends on them is read
   * again.
   */
  subscribe(channel: string, listener: (message: string) => void, missed?: () => void): void
  close(): Promise<void>
}

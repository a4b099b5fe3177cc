/** Counts and messages inside one process: the store of a single instance, and the fallback without Redis. */
import { LIMITS } from '../limits.ts'
import type { Store, WindowCount } from './store.ts'

interface Window {
  count: number
  resetAt: number
}

/** Fixed windows by key. A window begins with its first request; one that has ended is removed. */
export interface Windows {
  hit(key: string, windowMs: number, now: number): WindowCount
  /** Takes over a count of Redis, so that counting goes on from there when Redis fails. */
  adopt(key: string, shared: WindowCount, windowMs: number, now: number): void
  readonly size: number
}

/** Windows in a Map of at most `capacity` keys; a new key beyond that removes the oldest. */
export function createWindows(capacity: number = LIMITS.rateCallers): Windows {
  const windows = new Map<string, Window>()
  let sweepAt = 0

  function forget(now: number, windowMs: number): void {
    if (now >= sweepAt) {
      sweepAt = now + windowMs
      for (const [key, window] of windows) if (window.resetAt <= now) windows.delete(key)
    }
    if (windows.size < capacity) return
    const oldest = windows.keys().next()
    if (!oldest.done) windows.delete(oldest.value)
  }

  return {
    hit(key, windowMs, now) {
      const window = windows.get(key)
      if (window !== undefined && now < window.resetAt) {
        window.count += 1
        return window
      }
      if (window === undefined) forget(now, windowMs)
      else windows.delete(key)
      const opened = { count: 1, resetAt: now + windowMs }
      windows.set(key, opened)
      return opened
    },
    adopt(key, { count, resetAt }, windowMs, now) {
      const window = windows.get(key)
      if (window === undefined) {
        forget(now, windowMs)
        windows.set(key, { count, resetAt })
      } else {
        window.count = count
        window.resetAt = resetAt
      }
    },
    get size() {
      return windows.size
    },
  }
}

type Listener = (message: string) => void

/** Listeners by channel; when one throws, the others are still called. */
export interface Channels {
  add(channel: string, listener: Listener): void
  tell(channel: string, message: string): void
}

/** Channels of one process; `failed` is called with the error of a listener. */
export function createChannels(failed: (error: unknown, channel: string) => void): Channels {
  const channels = new Map<string, Listener[]>()
  return {
    add(channel, listener) {
      channels.set(channel, [...(channels.get(channel) ?? []), listener])
    },
    tell(channel, message) {
      for (const listener of channels.get(channel) ?? []) {
        try {
          listener(message)
        } catch (error) {
          failed(error, channel)
        }
      }
    },
  }
}

/** A store for one process; `failed` is called with the error of a listener. */
export function memoryStore(failed: (error: unknown, channel: string) => void): Store {
  const windows = createWindows()
  const channels = createChannels(failed)
  return {
    kind: 'memory',
    hit: async (bucket, id, windowMs, now) => {
      const { count, resetAt } = windows.hit(`${bucket}:${id}`, windowMs, now)
      return { count, resetAt }
    },
    publish: async (channel, message) => channels.tell(channel, message),
    subscribe: (channel, listener) => channels.add(channel, listener),
    close: async () => {},
  }
}

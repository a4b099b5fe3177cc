/** Messages between instances over Redis ⇄: this instance gets them at once, the others when Redis delivers them. */
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { isObject } from '../json.ts'
import type { Logger } from '../observe.ts'
import { createChannels } from './memory.ts'
import type { Store } from './store.ts'

/** A command that takes longer is given up, so that an outage delays a caller by less than 100 ms. */
const COMMAND_MS = 80

/**
 * The answer of Redis; rejects when there is none within COMMAND_MS. A process that was busy for so long finds the answer
 * on its socket, so it reads that before it gives up.
 */
export async function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error('Redis does not answer'))
    timer = setTimeout(() => setImmediate(giveUp), COMMAND_MS)
  })
  try {
    return await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * How many messages are kept while Redis is unavailable; when there are more, the other instances read everything
 * again.
 */
const UNSENT = 1_000

/** Any client of Redis may send any message, as often as it likes. */
const QUIET_MS = 60_000

interface Parcel {
  readonly from: string
  /** Absent: messages of this instance were lost. */
  readonly channel?: string
  readonly message?: string
}

function parcelOf(text: string): Parcel | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || typeof value.from !== 'string') return undefined
    const { channel, from, message } = value
    if (channel === undefined) return { from }
    return typeof channel === 'string' && typeof message === 'string' ? { from, channel, message } : undefined
  } catch {
    return undefined
  }
}

/** Writes at most one line a minute about messages of others, with their count. */
function rareLine(log: Logger, text: string): (fields: object) => void {
  let writtenAt = Number.NEGATIVE_INFINITY
  let messages = 0
  return (fields) => {
    messages += 1
    const now = performance.now()
    if (now - writtenAt < QUIET_MS) return
    log.error({ ...fields, messages }, text)
    writtenAt = now
    messages = 0
  }
}

/** Sends messages at once, or keeps them in order until Redis is back. */
function outgoing(redis: Redis, topic: string, from: string): (parcel: Omit<Parcel, 'from'>) => Promise<void> {
  let unsent: string[] = []
  let lost = false
  const send = async (text: string) => {
    try {
      await inTime(redis.publish(topic, text))
    } catch {
      if (unsent.length < UNSENT) unsent.push(text)
      else lost = true
    }
  }
  redis.on('ready', async () => {
    const waiting = lost ? [JSON.stringify({ from })] : unsent
    unsent = []
    lost = false
    for (const text of waiting) await send(text)
  })
  return (parcel) => send(JSON.stringify({ from, ...parcel }))
}

/** A connection that only listens and reconnects by itself; `gap` is called when messages may have been missed. */
function listening(redis: Redis, topic: string, received: (text: string) => void, gap: () => void): Redis {
  let connectedBefore = false
  const listener = redis.duplicate({
    autoResubscribe: false,
    enableOfflineQueue: false,
    keepAlive: 10_000,
    commandTimeout: COMMAND_MS,
  })
  // The connection that counts logs the outage.
  listener.on('error', () => {})
  listener.on('message', (_topic, text) => received(text))
  listener.on('ready', async () => {
    try {
      await listener.subscribe(topic)
      if (connectedBefore) gap()
      connectedBefore = true
    } catch {
      // A connection that cannot subscribe is closed; the next one tries again.
      listener.disconnect(true)
    }
  })
  listener.on('close', () => {
    if (connectedBefore) gap()
  })
  listener.connect().catch(() => {})
  return listener
}

/** Publishing through `redis` and listening on a connection of its own. */
export function messaging(
  redis: Redis,
  log: Logger,
  prefix: string,
): Pick<Store, 'publish' | 'subscribe'> & { close(): void } {
  const from = randomUUID()
  const topic = `${prefix}:messages`
  const failed = rareLine(log, 'a store listener failed')
  const malformed = rareLine(log, 'a message over Redis cannot be read')
  const channels = createChannels((error, channel) => failed({ err: error, channel }))
  const gaps: (() => void)[] = []
  const callMissed = () => {
    for (const missed of gaps) missed()
  }
  const receive = (text: string) => {
    const parcel = parcelOf(text)
    if (parcel === undefined) return malformed({ characters: text.length })
    if (parcel.from === from) return
    if (parcel.channel === undefined) callMissed()
    else channels.tell(parcel.channel, parcel.message ?? '')
  }
  const send = outgoing(redis, topic, from)
  const listener = listening(redis, topic, receive, callMissed)

  return {
    async publish(channel, message) {
      channels.tell(channel, message)
      await send({ channel, message })
    },
    subscribe(channel, listener, missed) {
      channels.add(channel, listener)
      if (missed !== undefined) gaps.push(missed)
    },
    close() {
      gaps.length = 0
      listener.disconnect()
    },
  }
}

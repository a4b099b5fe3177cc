/** Messages between instances over Redis ⇄: heard here at once, elsewhere as soon as Redis lets them through. */
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Logger } from '../observe.ts'
import { createChannels } from './memory.ts'
import type { Store } from './store.ts'

/** Messages kept while Redis is away, to be sent when it is back; beyond it the others read everything anew. */
const UNSENT = 1_000

interface Parcel {
  readonly from: string
  /** Absent: messages of this instance were lost. */
  readonly channel?: string
  readonly message?: string
}

function parcelOf(text: string): Parcel | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'from' in value ? (value as Parcel) : undefined
  } catch {
    return undefined
  }
}

/** What goes out: sent at once, or kept in order until Redis is back. */
function outgoing(redis: Redis, topic: string, from: string): (parcel: Omit<Parcel, 'from'>) => Promise<void> {
  let unsent: string[] = []
  let overflown = false
  const send = async (text: string) => {
    try {
      await redis.publish(topic, text)
    } catch {
      if (unsent.length < UNSENT) unsent.push(text)
      else overflown = true
    }
  }
  redis.on('ready', async () => {
    const waiting = overflown ? [JSON.stringify({ from })] : unsent
    unsent = []
    overflown = false
    for (const text of waiting) await send(text)
  })
  return (parcel) => send(JSON.stringify({ from, ...parcel }))
}

/** A connection that only listens and comes back by itself; `gap` is called when something may have been missed. */
function listening(redis: Redis, topic: string, heard: (parcel: Parcel) => void, gap: () => void): Redis {
  let connectedBefore = false
  const ears = redis.duplicate({ autoResubscribe: false, enableOfflineQueue: false, keepAlive: 10_000 })
  // The other connection's log line tells of the outage.
  ears.on('error', () => {})
  ears.on('message', (_topic, text) => {
    const parcel = parcelOf(text)
    if (parcel !== undefined) heard(parcel)
  })
  ears.on('ready', async () => {
    try {
      await ears.subscribe(topic)
      if (connectedBefore) gap()
      connectedBefore = true
    } catch {
      // A connection that cannot subscribe is of no use: the next one tries again.
      ears.disconnect(true)
    }
  })
  ears.on('close', () => {
    if (connectedBefore) gap()
  })
  ears.connect().catch(() => {})
  return ears
}

/** Publishing through `redis` and listening on a connection of its own. */
export function messaging(
  redis: Redis,
  log: Logger,
  prefix: string,
): Pick<Store, 'publish' | 'subscribe'> & { close(): void } {
  const from = randomUUID()
  const topic = `${prefix}:messages`
  const channels = createChannels((error, channel) => log.error({ err: error, channel }, 'a store listener failed'))
  const gaps: (() => void)[] = []
  const tellMissed = () => {
    for (const missed of gaps) missed()
  }
  const hear = (parcel: Parcel) => {
    if (parcel.from === from) return
    if (parcel.channel === undefined) tellMissed()
    else channels.tell(parcel.channel, parcel.message ?? '')
  }
  const send = outgoing(redis, topic, from)
  const ears = listening(redis, topic, hear, tellMissed)

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
      ears.disconnect()
    },
  }
}

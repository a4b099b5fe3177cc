/** A block on the screen of a ticket: how much time is left of each promise, while it is looked at. */
import { type BlockProps, Card, durationText, momentText, type RecordData, useWords } from 'plinth/console'
import type { ReactNode } from 'react'
import { useNow } from './now.tsx'

const EN = {
  title: 'Promised',
  left: (time: string) => `${time} left`,
  late: (time: string) => `${time} late`,
  paused: (time: string) => `paused with ${time} left`,
  kept: 'kept',
  missed: (time: string) => `missed by ${time}`,
  until: (moment: string) => `due ${moment}`,
}
const DE: typeof EN = {
  title: 'Zugesagt',
  left: (time) => `noch ${time}`,
  late: (time) => `seit ${time} überfällig`,
  paused: (time) => `angehalten, noch ${time}`,
  kept: 'gehalten',
  missed: (time) => `um ${time} verfehlt`,
  until: (moment) => `fällig ${moment}`,
}
const WORDS = { en: EN, de: DE }

/** The promises of a ticket: when each is due, and what fulfils it. */
const PROMISES = [
  { due: 'first_response_due_at', done: ['first_response_at', 'resolved_at'] },
  { due: 'resolution_due_at', done: ['resolved_at'] },
] as const

function momentIn(record: RecordData, name: string): number | undefined {
  const value = record[name]
  return typeof value === 'string' ? Date.parse(value) : undefined
}

interface Clock {
  readonly due: number
  /** The moment up to which it has run. */
  readonly at: number
  readonly state: 'runs' | 'paused' | 'done'
}

function clockOf(record: RecordData, { done, due }: (typeof PROMISES)[number], now: number): Clock | undefined {
  const until = momentIn(record, due)
  if (until === undefined) return undefined
  const end = done.map((name) => momentIn(record, name)).find((moment) => moment !== undefined)
  if (end !== undefined) return { due: until, at: end, state: 'done' }
  const paused = momentIn(record, 'paused_at')
  return { due: until, at: paused ?? now, state: paused === undefined ? 'runs' : 'paused' }
}

function sayingOf({ at, due, state }: Clock, words: typeof EN): string {
  const seconds = Math.floor((due - at) / 1000)
  const time = durationText(Math.abs(seconds))
  if (state === 'done') return seconds < 0 ? words.missed(time) : words.kept
  if (seconds < 0) return words.late(time)
  return state === 'paused' ? words.paused(time) : words.left(time)
}

/** Nothing where nothing is promised, or where the reader may not see it. */
export function Clocks({ named, record }: BlockProps): ReactNode {
  const words = useWords(WORDS)
  const now = useNow(1000)
  const begin = momentIn(record, 'created_at')
  const clocks = PROMISES.flatMap((promise) => {
    const clock = clockOf(record, promise, now)
    return clock === undefined ? [] : [{ ...clock, name: promise.due }]
  })
  if (clocks.length === 0) return null
  return (
    <Card title={words.title}>
      <dl className="clocks">
        {clocks.map((clock) => {
          const { at, due, name } = clock
          const label = named.resource.fields[name]?.label ?? name
          return (
            <div key={name}>
              <dt>{label}</dt>
              <dd className={at > due ? 'bad' : undefined}>
                {sayingOf(clock, words)}
                {begin === undefined ? null : (
                  <progress aria-label={label} max={1} value={Math.min(1, (at - begin) / Math.max(1, due - begin))} />
                )}
                <small className="soft">{words.until(momentText(new Date(due).toISOString()))}</small>
              </dd>
            </div>
          )
        })}
      </dl>
    </Card>
  )
}

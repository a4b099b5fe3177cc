/** The streams of this instance ⇄: readers come and go, and each batch of the log is read once for all of them. */
import type { Readable } from 'node:stream'
import { ApiError } from '../error.ts'
import type { BoundAuthenticate } from '../http/http-app.ts'
import type { StreamFigures } from '../http/metrics.ts'
import { callerOf } from '../http/rate-limit.ts'
import type { StreamRequest } from '../http/stream-route.ts'
import { LIMITS } from '../limits.ts'
import type { Foundation } from '../run/execution.ts'
import type { Store } from '../store/store.ts'
import { heartbeat, opening } from './events.ts'
import { type Position, placesOf } from './positions.ts'
import { createReader, type Reader, seesSame, type View, viewOf } from './reader.ts'
import { checkReaders } from './rights-check.ts'
import { ReaderClassFailed, runRound } from './round.ts'

/** The application whose records are followed; another one may replace it, with new streams. */
export interface Serving {
  readonly app: {
    readonly foundation: Foundation
    readonly composition: { readonly authenticate: BoundAuthenticate | undefined }
  }
}

export interface Streams {
  /** Opens a stream; throws unavailable or too_many_requests above the limits, and the errors of the list. */
  open(request: StreamRequest): Readable
  /** Tells every instance that the log of changes has grown. */
  wrote(): void
  figures(): StreamFigures
  /** Ends every stream after a whole batch; the readers come back and continue where they were. */
  endAll(): Promise<void>
  /** The same, and opens no more. */
  close(): Promise<void>
}

export interface StreamParts {
  readonly store: Pick<Store, 'publish' | 'subscribe'>
  /** From 0 to 1. */
  readonly random: () => number
}

/** The channel on which instances tell each other that the log of changes has grown. */
const LOG = 'log'

/** The state of the streams: the one place that changes while they are served. */
interface State {
  closed: boolean
  /** Readers of the next batch, which begins where the last one ended. */
  readonly live: Set<Reader>
  /** Readers at other places, or at none yet. */
  readonly coming: Set<Reader>
  readonly perCaller: Map<string, number>
  /** The end of the last batch. */
  place: { readonly done: string; readonly at: number } | undefined
  cut: number
}

type Limit = (name: keyof typeof LIMITS) => number

/** The streams of one process, for the application that is served at the time. */
export function createStreams({ store, random }: StreamParts, serving: () => Serving['app'] | undefined): Streams {
  const state: State = {
    closed: false,
    live: new Set(),
    coming: new Set(),
    perCaller: new Map(),
    place: undefined,
    cut: 0,
  }
  const limit: Limit = (name) => serving()?.foundation.catalog.limits[name] ?? LIMITS[name]
  const pacers = pacersOf({ store, limit, serving }, state)
  store.subscribe(LOG, pacers.batches.wake, pacers.batches.wake)

  const endAll = async (): Promise<void> => {
    await pacers.batches.idle()
    beat(state)
    for (const reader of [...state.coming, ...state.live]) reader.end()
  }
  return {
    open(request) {
      const app = serving()
      if (state.closed || app === undefined)
        throw new ApiError('unavailable', { message: 'The service is stopping; come back', retryAfter: 1 })
      const reader = admit(app.foundation, state, limit, request)
      const spread = Math.max(0, limit('streamRetryMostMs') - limit('streamRetryMs'))
      reader.send(opening(limit('streamRetryMs') + random() * spread))
      for (const pacer of [pacers.batches, pacers.checks, pacers.beats]) pacer.wake()
      return reader.body
    },
    wrote: pacers.teller.wake,
    figures: () => ({ open: state.live.size + state.coming.size, cut: state.cut }),
    endAll,
    async close() {
      state.closed = true
      await endAll()
      for (const pacer of Object.values(pacers)) pacer.close()
    },
  }
}

/** The work that repeats while there are readers. */
function pacersOf(
  { store, limit, serving }: Pick<StreamParts, 'store'> & { limit: Limit; serving: () => Serving['app'] | undefined },
  state: State,
) {
  const isRead = (): boolean => state.live.size + state.coming.size > 0
  const every = (ms: () => number) => ({ pauseMs: ms, pollMs: ms, isWanted: isRead })
  const pauseMs = () => limit('streamPauseMs')
  return {
    batches: createPacer({
      pauseMs,
      pollMs: () => limit('listenerPollMs'),
      isWanted: isRead,
      run: () => batch(serving()!, state),
    }),
    checks: createPacer({
      ...every(() => limit('streamCheckMs')),
      run: async () => void (await check(serving()!, state, [...state.coming, ...state.live])),
    }),
    beats: createPacer({ ...every(() => limit('streamHeartbeatMs')), run: async () => beat(state) }),
    teller: createPacer({
      pauseMs,
      pollMs: () => undefined,
      isWanted: () => true,
      run: () => store.publish(LOG, ''),
    }),
  }
}

/** Runs work when it is asked for, and otherwise after a while; never twice at a time, and never too often. */
interface Pacer {
  /** Runs soon. Calls that come together make one run, which begins after the last of them. */
  wake(): void
  /** Resolves when nothing runs. */
  idle(): Promise<void>
  close(): void
}

interface Paced {
  /**
   * The least time between two runs, in milliseconds. After a longer run the pause is as long as the run, but at most
   * three times this.
   */
  readonly pauseMs: () => number
  /** The time after which it runs without being asked; undefined: never. */
  readonly pollMs: () => number | undefined
  /** Nothing runs while this is false. */
  readonly isWanted: () => boolean
  /** Never rejects. */
  readonly run: () => Promise<void>
}

/** A pacer that waits to be asked. */
function createPacer({ isWanted, pauseMs, pollMs, run }: Paced): Pacer {
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let rings = Number.POSITIVE_INFINITY
  let running: Promise<void> | undefined
  let again = false
  let ended = Number.NEGATIVE_INFINITY
  let took = 0

  function runIn(ms: number): void {
    const at = performance.now() + ms
    if (closed || rings <= at) return
    clearTimeout(timer)
    rings = at
    timer = setTimeout(begin, ms).unref()
  }
  function begin(): void {
    rings = Number.POSITIVE_INFINITY
    if (closed || running !== undefined || !isWanted()) return
    const began = performance.now()
    again = false
    running = run().finally(() => {
      ended = performance.now()
      took = ended - began
      running = undefined
      const poll = pollMs()
      if (again) wake()
      else if (poll !== undefined && isWanted()) runIn(poll)
    })
  }
  function pause(): number {
    const least = pauseMs()
    return Math.max(least, Math.min(took, least * 3))
  }
  function wake(): void {
    again = true
    if (running === undefined && isWanted()) runIn(Math.max(0, ended + pause() - performance.now()))
  }
  return {
    wake,
    idle: async () => {
      while (running !== undefined) await running
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

/** A new reader, counted for its caller until it leaves. */
function admit(foundation: Foundation, state: State, limit: Limit, request: StreamRequest): Reader {
  const { actor, ip, query, resource } = request
  const view = viewOf(foundation, resource, actor, query)
  if (state.live.size + state.coming.size >= limit('streams'))
    throw new ApiError('unavailable', { message: 'Too many streams are open; come back', retryAfter: 5 })
  const caller = callerOf(actor, ip)
  const before = state.perCaller.get(caller) ?? 0
  if (before >= limit('streamsPerCaller'))
    throw new ApiError('too_many_requests', { message: 'You have too many streams open', retryAfter: 5 })
  state.perCaller.set(caller, before + 1)
  const reader = createReader(request, view, limit('streamUnsentBytes'), (cut) => {
    if (cut) state.cut += 1
    state.coming.delete(reader)
    state.live.delete(reader)
    const left = (state.perCaller.get(caller) ?? 1) - 1
    if (left === 0) state.perCaller.delete(caller)
    else state.perCaller.set(caller, left)
  })
  state.coming.add(reader)
  return reader
}

/** Reads one batch, sends it, and adds the new readers to the live ones. */
async function batch(app: Serving['app'], state: State): Promise<void> {
  const { foundation } = app
  const { coming, live, place } = state
  const together: readonly Position[] =
    live.size === 0 || place === undefined
      ? []
      : [{ from: { ...place, further: [] }, readers: [...live], lost: 'overflow' }]
  const places = placesOf(foundation, coming)
  const served = new Map<Reader, View>(places.flatMap(({ readers }) => readers.map((one) => [one, one.view] as const)))
  try {
    const { deliveries, now } = await runRound(foundation, [...together, ...places])
    // Rights are checked after the reading, so that the check sees a right that was withdrawn before a change of the
    // batch.
    if (!(await check(app, state, new Set(deliveries.map(({ reader }) => reader)))))
      throw new Error('who the readers of streams are could not be asked')
    state.place = now
    // A reader whose rights have changed meanwhile gets nothing from before, and begins again.
    const isAsItWas = (reader: Reader, view: View): boolean =>
      (live.has(reader) || coming.has(reader)) && seesSame(reader.view, view)
    for (const { reader, text, view } of deliveries) if (isAsItWas(reader, view)) reader.send(text)
    for (const [reader, view] of served) if (isAsItWas(reader, view) && coming.delete(reader)) live.add(reader)
  } catch (error) {
    await failed(foundation, [...coming, ...live], error)
  }
}

/**
 * While the database is out everybody waits. Where one statement fails, its readers are ended, and the others continue.
 */
async function failed({ database, log }: Foundation, readers: readonly Reader[], error: unknown): Promise<void> {
  const serves = await database.ping().then(
    () => true,
    () => false,
  )
  if (!(error instanceof ReaderClassFailed) || !serves) {
    log.warn({ err: error }, 'streams wait: a batch could not be read')
    return
  }
  const { key, resource } = error.readerClass
  log.error({ err: error.cause, resource: resource.name }, 'streams were ended: what is told there could not be read')
  for (const reader of readers) if (reader.view.readerClass.key === key) reader.end()
}

/**
 * Ends the streams of readers who may no longer read; readers with other rights must read their list again. Returns
 * whether all could be checked.
 */
async function check(
  { composition, foundation }: Serving['app'],
  state: State,
  readers: Iterable<Reader>,
): Promise<boolean> {
  let all = true
  await checkReaders(foundation, composition.authenticate, readers, (reader, rights) => {
    if (rights === undefined) all = false
    if (rights === 'none') reader.end()
    if (rights !== 'other') return
    reader.begin = 'access'
    if (state.live.delete(reader)) state.coming.add(reader)
  })
  return all
}

function beat({ live, place }: State): void {
  if (place === undefined) return
  for (const reader of live) reader.send(heartbeat({ ...place, further: [], share: reader.view.share.name }))
}

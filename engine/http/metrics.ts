/** Numbers for Prometheus: requests by route, connections, outside servers, jobs, what housekeeping did, the process itself. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ActCount } from '../acts.ts'
import type { Standing } from '../breaker.ts'
import type { Database } from '../database/database.ts'
import { preparedStatements } from '../database/statement.ts'
import { isObject, type Json } from '../json.ts'
import type { AdmissionFigures } from './admission.ts'

/** Jobs of one name in the queue. */
interface QueueCount {
  readonly job: string
  readonly status: string
  readonly count: number
}

/** The age of the oldest record among those kept for a limited time. */
interface Oldest {
  readonly of: string
  readonly seconds: number
}

/** The state of one listener. */
export interface ListenerFigures {
  readonly name: string
  /** Seconds since the oldest change that it has not processed. */
  readonly lag: number
  readonly waiting: number
  readonly deferred: number
  readonly failed: number
}

/** The state of the streams of this instance. */
export interface StreamFigures {
  readonly open: number
  /** Readers that fell behind and were cut off so far. */
  readonly cut: number
}

export interface Metrics {
  /** Answered requests by the pattern of their route, never by path, with their duration in seconds. */
  readonly requests: Histogram<'route' | 'method' | 'status'>
  /** Counts the result of a scheduled job: its numbers by their names; `oldest_seconds` is an age. */
  tidied(job: string, result: Json | undefined): void
  /** Replaces the counts of the queue, and the ages of what is kept. */
  measured(jobs: readonly QueueCount[], oldest: readonly Oldest[]): void
  /** Counts a request that uses an earlier name, or whose answer has one. */
  earlier(use: { readonly resource: string; readonly name: string; readonly role: string; readonly use: string }): void
  /** Counts a run of an automation by how it ended. */
  ran(automation: string, outcome: string): void
  /** The exposition text and its media type. */
  render(): Promise<{ readonly type: string; readonly text: string }>
}

function connectionsGauge(registry: Registry, connections: Database['connections']): void {
  new Gauge({
    name: 'plinth_database_connections',
    help: 'Connections of the database pools by state; waiting are callers that wait for one',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const { pool, used, free, waiting } of connections()) {
        this.set({ pool, state: 'used' }, used)
        this.set({ pool, state: 'free' }, free)
        this.set({ pool, state: 'waiting' }, waiting)
      }
    },
  })
  new Gauge({
    name: 'plinth_database_prepared_statements',
    help: 'Statements that the connections of this process keep prepared, all together',
    registers: [registry],
    collect() {
      this.set(preparedStatements())
    },
  })
}

function breakerGauge(registry: Registry, standings: () => readonly Standing[]): void {
  new Gauge({
    name: 'plinth_outside_server_out',
    help: '1 while an outside server does not answer and is left alone, 0 while it answers',
    labelNames: ['server'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { server, state } of standings()) this.set({ server }, state === 'closed' ? 0 : 1)
    },
  })
}

function jobMetrics(registry: Registry): Pick<Metrics, 'tidied' | 'measured'> {
  const queue = new Gauge({
    name: 'plinth_jobs',
    help: 'Jobs of the queue by name and status, counted once a minute; failed are those that were given up',
    labelNames: ['job', 'status'],
    registers: [registry],
  })
  const age = new Gauge({
    name: 'plinth_oldest_seconds',
    help: 'Age of the oldest of what is kept for a time: rows once a minute, files when their job has run',
    labelNames: ['of'],
    registers: [registry],
  })
  const done = new Counter({
    name: 'plinth_housekeeping_total',
    help: 'What scheduled jobs did on this instance, by job and by the name under which they count it',
    labelNames: ['job', 'what'],
    registers: [registry],
  })
  const files = new Map<string, number>()
  return {
    tidied(job, result) {
      for (const [what, count] of Object.entries(isObject(result) ? result : {})) {
        if (typeof count !== 'number' || count < 0) continue
        if (what === 'oldest_seconds') files.set(job, count)
        else done.inc({ job, what }, count)
      }
    },
    measured(jobs, oldest) {
      queue.reset()
      for (const { job, status, count } of jobs) queue.set({ job, status }, count)
      age.reset()
      for (const { of, seconds } of oldest) age.set({ of }, seconds)
      for (const [of, seconds] of files) age.set({ of }, seconds)
    },
  }
}

/** Admitted and refused requests; the figures are read when a scrape asks for them. */
function admissionFigures(registry: Registry, figures: () => AdmissionFigures): void {
  const registers = [registry]
  new Counter({
    name: 'plinth_admission_total',
    help: 'Requests that were let in, and refused with 503 because of overload or of too many large answers; probes are not counted',
    labelNames: ['outcome'],
    registers,
    collect() {
      const { admitted, refused, large } = figures()
      this.reset()
      this.inc({ outcome: 'admitted' }, admitted)
      this.inc({ outcome: 'refused' }, refused)
      this.inc({ outcome: 'refused_large' }, large.refused)
    },
  })
  const gauge = (name: string, help: string, value: (now: AdmissionFigures) => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value(figures()))
      },
    })
  }
  gauge('plinth_admission_in_flight', 'Requests whose answers are being made', ({ inFlight }) => inFlight)
  gauge('plinth_admission_large', 'Large answers, such as exports, that are being sent', ({ large }) => large.sending)
  gauge('plinth_admission_limit', 'Requests that may be in flight; falls when they wait', ({ limit }) => limit)
  gauge('plinth_admission_wait_seconds', 'How long requests wait inside', ({ waitMs }) => waitMs / 1_000)
}

/** Two gauges from one query of the database; if it fails, the other numbers are still returned. */
function listenerGauges(registry: Registry, listeners: () => Promise<readonly ListenerFigures[]>): void {
  let asked: Promise<readonly ListenerFigures[]> | undefined
  const figures = (): Promise<readonly ListenerFigures[]> => {
    asked ??= listeners()
      .catch(() => [])
      .finally(() => {
        asked = undefined
      })
    return asked
  }
  new Gauge({
    name: 'plinth_listener_lag_seconds',
    help: 'Time since the oldest change that a listener has not worked',
    labelNames: ['listener'],
    registers: [registry],
    async collect() {
      for (const { name, lag } of await figures()) this.set({ listener: name }, lag)
    },
  })
  new Gauge({
    name: 'plinth_listener_changes',
    help: 'Changes that a listener has not worked: waiting, deferred to be tried again, or failed and set aside',
    labelNames: ['listener', 'state'],
    registers: [registry],
    async collect() {
      for (const { name, waiting, deferred, failed } of await figures()) {
        this.set({ listener: name, state: 'waiting' }, waiting)
        this.set({ listener: name, state: 'deferred' }, deferred)
        this.set({ listener: name, state: 'failed' }, failed)
      }
    },
  })
}

function streamFigures(registry: Registry, streams: () => StreamFigures): void {
  new Gauge({
    name: 'plinth_streams',
    help: 'Streams that are open on this instance',
    registers: [registry],
    collect() {
      this.set(streams().open)
    },
  })
  new Counter({
    name: 'plinth_streams_cut_total',
    help: 'Streams that were cut off because their readers fell behind',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(streams().cut)
    },
  })
}

function actFigures(registry: Registry, acts: () => readonly ActCount[]): void {
  new Counter({
    name: 'plinth_acts_total',
    help: 'Acts of plugins on this instance, such as sign-ins, by how they ended',
    labelNames: ['act', 'outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { act, outcome, count } of acts()) this.inc({ act, outcome }, count)
    },
  })
}

function automationMetrics(registry: Registry): Pick<Metrics, 'ran'> {
  const runs = new Counter({
    name: 'plinth_automation_runs_total',
    help: 'Runs of automations on this instance by outcome: done, unmet (the condition did not hold), refused, retry, failed, ended (a chain that was too long)',
    labelNames: ['automation', 'outcome'],
    registers: [registry],
  })
  return { ran: (automation, outcome) => runs.inc({ automation, outcome }) }
}

function earlierMetrics(registry: Registry): Pick<Metrics, 'earlier'> {
  const uses = new Counter({
    name: 'plinth_earlier_names_total',
    help: 'Requests that asked by an earlier name of a renamed field, parameter, relation or path, or were answered with one, by the role of the caller',
    labelNames: ['resource', 'name', 'role', 'use'],
    registers: [registry],
  })
  return { earlier: (labels) => uses.inc(labels) }
}

/** Metrics with a registry of their own; made once per process, so that counts outlive a change of the app. */
export function createMetrics(
  connections: Database['connections'],
  admission: () => AdmissionFigures,
  standings: () => readonly Standing[] = () => [],
  listeners: () => Promise<readonly ListenerFigures[]> = async () => [],
  streams: () => StreamFigures = () => ({ open: 0, cut: 0 }),
  acts: () => readonly ActCount[] = () => [],
): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  connectionsGauge(registry, connections)
  admissionFigures(registry, admission)
  breakerGauge(registry, standings)
  listenerGauges(registry, listeners)
  streamFigures(registry, streams)
  actFigures(registry, acts)
  const requests = new Histogram({
    name: 'plinth_request_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  })
  return {
    requests,
    ...jobMetrics(registry),
    ...automationMetrics(registry),
    ...earlierMetrics(registry),
    render: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}

/** Numbers for Prometheus: requests by route, the database's connections, and the process itself. */
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../database/database.ts'

export interface Metrics {
  /** Answered requests by the pattern of their route, never by path, and how long each took in seconds. */
  readonly requests: Histogram<'route' | 'method' | 'status'>
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
}

/** Metrics with a registry of their own; made once per process, so that counts outlive a change of the app. */
export function createMetrics(connections: Database['connections']): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  connectionsGauge(registry, connections)
  const requests = new Histogram({
    name: 'plinth_request_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  })
  return { requests, render: async () => ({ type: registry.contentType, text: await registry.metrics() }) }
}

/** Numbers for Prometheus: requests by route, the database's connections, and the process itself. */
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export interface Metrics {
  /** Answered requests by the pattern of their route, never by path, and how long each took in seconds. */
  readonly requests: Histogram<'route' | 'method' | 'status'>
  /** The exposition text and its media type. */
  render(): Promise<{ readonly type: string; readonly text: string }>
}

/** Metrics with a registry of their own; made once per process, so that counts outlive a change of the app. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'plinth_request_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  })
  return { requests, render: async () => ({ type: registry.contentType, text: await registry.metrics() }) }
}

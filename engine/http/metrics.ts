/** Numbers for Prometheus: requests by route, the database's connections, and the process itself. */
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** How many connections are in use, at rest, and waited for. */
export interface PoolUse {
  readonly used: number
  readonly free: number
  readonly waiting: number
}

export interface Metrics {
  /** One answered request; `route` is its pattern, never its path. */
  observe(route: string, method: string, status: number, seconds: number): void
  /** The exposition text and its media type. */
  render(): Promise<{ readonly type: string; readonly text: string }>
}

function poolGauge(registry: Registry, pool: () => PoolUse): void {
  new Gauge({
    name: 'plinth_database_connections',
    help: 'Connections of the database pool by state; waiting are requests for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { used, free, waiting } = pool()
      this.set({ state: 'used' }, used)
      this.set({ state: 'free' }, free)
      this.set({ state: 'waiting' }, waiting)
    },
  })
}

/** Metrics with a registry of their own; made once per process, so that counts outlive a change of the app. */
export function createMetrics(pool?: () => PoolUse): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  if (pool !== undefined) poolGauge(registry, pool)
  const requests = new Histogram({
    name: 'plinth_request_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  })
  return {
    observe(route, method, status, seconds) {
      requests.observe({ route, method, status: `${Math.trunc(status / 100)}xx` }, seconds)
    },
    render: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}

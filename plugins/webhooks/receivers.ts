/**
 * The receivers of this process ⇄: the attempts in progress to each, and the receivers that are left alone for a while.
 */
import {
  type Breaker,
  createBreaker,
  isUnreachable,
  LIMITS,
  memo,
  type PluginContext,
  type Settings,
} from '../../engine/index.ts'
import { hostOf } from './address.ts'
import type { Room } from './queue.ts'

/** Attempts at a time for one webhook, and for one host with any number of webhooks. */
const PER_WEBHOOK = 4
const PER_HOST = 8
/** Attempts at a time in total: each is a socket and a record in memory, and takes no place in the queue of jobs. */
const PER_PROCESS = 64

interface Host {
  readonly breaker: Breaker
  underWay: number
}

/** The state of the receivers of one process. */
export interface Receivers {
  readonly hosts: Map<string, Host>
  readonly webhooks: Map<number, number>
  underWay: number
}

const receiversFor = memo((_: Settings): Receivers => ({ hosts: new Map(), webhooks: new Map(), underWay: 0 }))

export function receiversOf({ settings }: Pick<PluginContext, 'settings'>): Receivers {
  return receiversFor(settings)
}

/** The host and port of an address: everything there fails together. */
function serverOf(address: string): string {
  return URL.canParse(address) ? `${hostOf(new URL(address))}:${new URL(address).port}` : address
}

/** The attempts that may begin now for each of these webhooks. */
export function roomsFor(
  { hosts, underWay, webhooks }: Receivers,
  due: readonly { readonly id: number; readonly address: string }[],
): readonly Room[] {
  const left = new Map<string, number>()
  let all = PER_PROCESS - underWay
  return due.flatMap(({ address, id }) => {
    const server = serverOf(address)
    const host = hosts.get(server)
    const free = left.get(server) ?? Math.min(host?.breaker.places() ?? PER_HOST, PER_HOST - (host?.underWay ?? 0))
    const room = Math.min(free, all, PER_WEBHOOK - (webhooks.get(id) ?? 0))
    if (room <= 0) return []
    left.set(server, free - room)
    all -= room
    return [{ webhook: id, room }]
  })
}

/** Runs one attempt under the breaker of its host, whose name does not reveal the address of a webhook. */
export async function attempting<T>(
  { log, settings }: Pick<PluginContext, 'log' | 'settings'>,
  { address, webhook }: { readonly address: string; readonly webhook: number },
  work: () => Promise<T>,
): Promise<T> {
  const receivers = receiversOf({ settings })
  const host = hostIn(receivers, serverOf(address), webhook, log)
  const count = (step: 1 | -1): void => {
    receivers.underWay += step
    host.underWay += step
    const own = (receivers.webhooks.get(webhook) ?? 0) + step
    if (own === 0) receivers.webhooks.delete(webhook)
    else receivers.webhooks.set(webhook, own)
  }
  count(1)
  try {
    return await host.breaker.run(work)
  } finally {
    count(-1)
  }
}

function hostIn({ hosts }: Receivers, server: string, webhook: number, log: PluginContext['log']): Host {
  const there = hosts.get(server)
  if (there !== undefined) return there
  if (hosts.size >= LIMITS.breakers) {
    for (const [name, { breaker, underWay }] of hosts)
      if (underWay === 0 && breaker.standing().failures === 0) hosts.delete(name)
  }
  const told = ({ retryInMs, state }: ReturnType<Breaker['standing']>): void => {
    if (state === 'closed') log.info({ webhook }, 'the receiver of a webhook answers again')
    else log.warn({ webhook, retryInMs }, 'the receiver of a webhook does not answer and is left alone')
  }
  const made = { breaker: createBreaker('the receiver', { counts: isUnreachable, told }), underWay: 0 }
  hosts.set(server, made)
  return made
}

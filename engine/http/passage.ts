/** Where requests wait while a change is made that none of them may see half done. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'

/** What becomes of a request: it is served, or it has waited for too long. */
export interface Passing {
  serve(): void
  refuse(error: ApiError): void
}

/** Lets requests through, or has them wait. */
export interface Passage {
  /** The answers that are not wholly sent, in the order in which their requests came. */
  readonly inside: ReadonlySet<ServerResponse>
  /** Serves at once, or when the passage is open again; what has waited for too long is refused. */
  through(response: ServerResponse, passing: Passing): void
  /** Answers at once, whatever waits: for what needs nothing that is changed. */
  beside(response: ServerResponse, serve: () => void): void
  /** From now on every answer whose headers are not sent says that its connection closes, and no request waits. */
  closing(): void
  /** Has requests wait from now on; resolves when those under way have ended, or after `mostMs`. */
  hold(mostMs: number): Promise<void>
  /** Ends one `hold`; behind the last one, the requests that wait are served, and those that come. */
  open(): void
}

/** Of several requests on one connection that wait for their answers, the last one's closes it: it would cut off the others. */
function closeAfter(inside: Iterable<ServerResponse>): void {
  const last = new Map<Socket, ServerResponse>()
  for (const response of inside) {
    const { socket } = response.req
    const before = last.get(socket)
    if (before !== undefined && !before.headersSent) before.shouldKeepAlive = true
    last.set(socket, response)
    if (!response.headersSent) response.shouldKeepAlive = false
  }
}

function heldTooLong(): ApiError {
  const message = 'The service is changing to another version of the application; try again'
  return new ApiError('unavailable', { message, retryAfter: 1 })
}

interface Waiting {
  begin(): void
  refuse(): void
}

/** Those who wait, in the order in which they came. */
function createWaiting(heldMs: number) {
  const all = new Set<Waiting>()
  return {
    /** `gone` is called where the caller hangs up meanwhile. */
    add(response: ServerResponse, one: Waiting, gone: () => void): void {
      const leaving = (next: () => void) => (): void => {
        clearTimeout(late)
        all.delete(entry)
        response.off('close', closed)
        next()
      }
      const entry: Waiting = { begin: leaving(one.begin), refuse: leaving(one.refuse) }
      const closed = leaving(gone)
      const late = setTimeout(entry.refuse, heldMs)
      response.once('close', closed)
      all.add(entry)
    },
    each(what: keyof Waiting): void {
      for (const entry of [...all]) entry[what]()
    },
  }
}

/** The answers of a passage that are not wholly sent. */
function createInside() {
  const all = new Set<ServerResponse>()
  /** Those that a change waits for. */
  const passing = new Set<ServerResponse>()
  let emptied = () => {}
  let closes = false
  function enter(response: ServerResponse, serve: () => void): void {
    all.add(response)
    if (closes) closeAfter(all)
    response.once('close', () => {
      all.delete(response)
      if (passing.delete(response) && passing.size === 0) emptied()
    })
    serve()
  }
  return {
    all,
    enter,
    pass(response: ServerResponse, serve: () => void): void {
      passing.add(response)
      enter(response, serve)
    },
    /** Resolves when no change has to wait any more, or after so long. */
    empty: (mostMs: number) =>
      new Promise<void>((resolve) => {
        if (passing.size === 0) return resolve()
        const patience = setTimeout(resolve, mostMs)
        emptied = () => {
          clearTimeout(patience)
          resolve()
        }
      }),
    close(): void {
      closes = true
      closeAfter(all)
    },
    isClosing: () => closes,
  }
}

/** A passage that is open; requests wait in it for `heldMs` at most. */
export function createPassage(heldMs: number = LIMITS.heldMs): Passage {
  const inside = createInside()
  const waiting = createWaiting(heldMs)
  /** Those who have requests wait now. */
  let holders = 0
  const open = (): void => {
    holders -= 1
    if (holders === 0) waiting.each('begin')
  }
  const hold = (mostMs: number): Promise<void> => {
    holders += 1
    return inside.empty(mostMs)
  }
  return {
    inside: inside.all,
    closing() {
      inside.close()
      waiting.each('refuse')
    },
    through(response, { serve, refuse }) {
      const tell = (): void => refuse(heldTooLong())
      const refused = (): void => inside.enter(response, tell)
      if (holders === 0) inside.pass(response, serve)
      else if (inside.isClosing()) refused()
      else waiting.add(response, { begin: () => inside.pass(response, serve), refuse: refused }, tell)
    },
    beside: inside.enter,
    hold,
    open,
  }
}

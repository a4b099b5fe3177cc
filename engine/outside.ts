/** Calls of outside servers ⇄: each ends, whatever happens to its connection. */
import type { ClientRequest, IncomingMessage } from 'node:http'

/**
 * The answer to a request. Rejects with the connection's error, or with a code that breakers know where the connection
 * ends without one: Node reports a change of the protocol (RFC 9110, 15.2.2) and a close without an error.
 */
export function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
    request.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy()
      reject(new Error(`The server answered ${statusCode}: it changes the protocol, which nobody asked for`))
    })
    request.once('close', () =>
      reject(Object.assign(new Error('The connection ended without an answer'), { code: 'ECONNRESET' })),
    )
  })
}

/** The result of work; rejects with the reason of the signal once it is aborted, whatever the work does then. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

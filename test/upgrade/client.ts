/** Requests to a desk of any version. */
import type { Answer } from '../support/answer.ts'
import { send } from '../support/application.ts'

export interface Desk {
  call(method: string, path: string, token?: string, body?: unknown): Promise<Answer>
}

/** `address` is where the desk listens; paths are those below its prefix. */
export function deskAt(address: string): Desk {
  return {
    async call(method, path, token, body) {
      const whole = `/api/v1${path}`
      if (!(body instanceof FormData)) return send(address, method, whole, { token, body })
      const form = new Response(body)
      const headers = { 'content-type': String(form.headers.get('content-type')) }
      return send(address, method, whole, { token, body: new Uint8Array(await form.arrayBuffer()), headers })
    },
  }
}

/** Requests to a desk of any version. */

export interface Reply {
  readonly status: number
  readonly text: string
  /** The `data` of an envelope; undefined where there is none. */
  readonly data: unknown
}

export interface Desk {
  call(method: string, path: string, token?: string, body?: unknown): Promise<Reply>
}

/** `address` is where the desk listens; paths are those below its prefix. */
export function deskAt(address: string): Desk {
  return {
    async call(method, path, token, body) {
      const isForm = body instanceof FormData
      const response = await fetch(`${address}/api/v1${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') === true && text !== ''
      const data = isJson ? (JSON.parse(text) as { data?: unknown }).data : undefined
      return { status: response.status, text, data }
    },
  }
}

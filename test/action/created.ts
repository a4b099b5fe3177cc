/** Makes records by requests, in tests that begin with some. */
import * as assert from 'uvu/assert'
import type { TestApplication } from '../support/application.ts'

/** What creates records of an application with a token; each has to be created. */
export function creating(app: TestApplication, token: string): (path: string, body: unknown) => Promise<void> {
  return async (path, body) => {
    const { status, text } = await app.call('POST', path, { token, body })
    assert.is(status, 201, text)
  }
}

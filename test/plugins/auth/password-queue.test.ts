/** Passwords are hashed in turn, and who would have to wait too long is told to come again. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiError } from '../../../engine/index.ts'
import { gated } from '../../../plugins/auth/password.ts'

const test = suite('auth: waiting for a hash')

test('a hundred wait, the next one is told 503 and when to come again, and all who waited are served', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const served = Array.from({ length: 104 }, (_, at) => gated(() => opened.then(() => at)))
  const refused = await gated(async () => 'late').catch((error: unknown) => error)
  assert.ok(refused instanceof ApiError)
  assert.equal([refused.status, refused.params.retryAfter], [503, 2])
  open()
  assert.equal(
    await Promise.all(served),
    Array.from({ length: 104 }, (_, at) => at),
  )
  assert.is(await gated(async () => 'later'), 'later')
})
test.run()

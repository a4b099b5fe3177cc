/** A password is one password however its signs are written (RFC 8265), and accounts from before that are let in. */
import { hash } from '@node-rs/argon2'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hashPassword, passwordErrors, verifyPassword } from '../../../plugins/auth/password.ts'
import { sentencesIn } from '../../support/sentence-codes.ts'

const test = suite('forms of passwords')

const SIGNS = fc.constantFrom('é', 'ü', 'Å', '가', 'ﬁ', 'ß', 'a', 'Z', '7', ' ', '漢', '😀')
const password = fc.array(SIGNS, { minLength: 8, maxLength: 16 }).map((signs) => signs.join(''))

test('every form of the same signs is let in, and no other password', async () => {
  await fc.assert(
    fc.asyncProperty(password, fc.constantFrom('\u00a0', '\u3000', '\u2003'), async (chosen, blank) => {
      const written = (text: string) => text.replaceAll(' ', blank)
      const stored = await hashPassword(written(chosen.normalize('NFD')))
      for (const form of [chosen, chosen.normalize('NFD'), written(chosen), written(chosen.normalize('NFD'))])
        assert.ok(await verifyPassword(stored, form), form)
      assert.not.ok(await verifyPassword(stored, `${chosen}x`))
      assert.not.ok(await verifyPassword(stored, `${chosen.slice(0, -1)}\u0301`))
    }),
    { numRuns: 6 },
  )
})

test('whoever chose a password before is let in by what they typed then', async () => {
  for (const old of ['cafe\u0301 au lait', 'a\u00a0long\u3000secret', 'with\u200bnothing\u00ad', 'tab\tand\u0001']) {
    const stored = await hash(old)
    assert.ok(await verifyPassword(stored, old), JSON.stringify(old))
    assert.not.ok(await verifyPassword(stored, `${old}x`))
  }
  assert.not.ok(await verifyPassword(undefined, 'cafe\u0301 au lait'))
})

test('a compatible form is another password, and so is another case', async () => {
  const stored = await hashPassword('ﬁne secret')
  for (const other of ['fine secret', 'ﬁne Secret', 'ﬁne secret ']) assert.not.ok(await verifyPassword(stored, other))
})

test('a new one holds nothing that cannot be seen, and is confirmed in any form', () => {
  const sentence = 'The password must not contain control characters or signs that cannot be seen'
  for (const sign of ['\t', '\n', '\u0000', '\u007f', '\u00ad', '\u200b', '\u200f', '\u202e', '\u2060', '\ufeff'])
    assert.equal(passwordErrors(`a long${sign} secret`, `a long${sign} secret`, 'a@b.c'), { password: [sentence] })
  assert.is(passwordErrors('cafe\u0301\u00a0au lait', 'café au\u3000lait', 'a@b.c'), undefined)
  assert.equal(sentencesIn(passwordErrors('e\u0301'.repeat(7), 'é'.repeat(7), 'a@b.c') ?? {}), {
    password: ['The password must have at least 8 characters'],
  })
})

test.run()

/** What `memo` remembers: once for an object, and for an object with a second argument of any kind. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { memo } from '../../engine/memo.ts'

const remembered = suite('memo')

remembered('a function is asked once for each object, whatever it says', () => {
  for (const answer of [undefined, null, false, 0, '', 'an answer']) {
    let asked = 0
    const of = memo((_: object) => {
      asked += 1
      return answer
    })
    const [one, other] = [{}, {}]
    assert.equal([of(one), of(one), of(other), of(one)], [answer, answer, answer, answer])
    assert.is(asked, 2)
  }
})

remembered('a second argument is told apart by itself, be it an object, a text or nothing', () => {
  const asked: unknown[] = []
  const of = memo((_: object, two: unknown) => asked.push(two))
  const [one, other] = [{}, {}]
  const seconds = [{}, {}, 'text', '', 1, null, undefined]
  const first = seconds.map((two) => of(one, two))
  assert.equal(
    seconds.map((two) => of(one, two)),
    first,
  )
  assert.equal(asked, seconds)
  assert.is(of(other, 'text'), seconds.length + 1)
})

remembered('what is thrown is not remembered', () => {
  let asked = 0
  const of = memo((_: object) => {
    asked += 1
    if (asked === 1) throw new Error('not yet')
    return asked
  })
  const one = {}
  assert.throws(() => of(one), /not yet/)
  assert.equal([of(one), of(one)], [2, 2])
})

remembered.run()

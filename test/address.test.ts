/** IP addresses: however one is written, it is one, for limits, for lists of networks, and for who is on this machine. */
import { isIPv6 } from 'node:net'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addressOf, oneSpelling, subnetOf } from '../engine/address.ts'
import { clientAddress, countedAs } from '../engine/http/rate-limit.ts'
import { mayReach, networksOf } from '../plugins/webhooks/address.ts'

const test = suite('addresses')

const hex = (group: number) =>
  fc
    .nat({ max: 4 })
    .map((width) => group.toString(16).padStart(width, '0'))
    .chain((text) => fc.constantFrom(text, text.toUpperCase()))

/** Spellings of eight groups: leading zeros, either case, `::` for one run of zeros, the last two as IPv4. */
function spellings(groups: readonly number[]): fc.Arbitrary<string> {
  const dotted = [6, 7].flatMap((at) => [groups[at]! >> 8, groups[at]! & 255]).join('.')
  return fc
    .tuple(fc.tuple(...groups.map(hex)), fc.boolean(), fc.nat({ max: 7 }), fc.nat({ max: 8 }))
    .map(([texts, asFour, from, to]) => {
      const written: string[] = asFour ? [...texts.slice(0, 6), dotted] : [...texts]
      const most = asFour ? 6 : 8
      const end = Math.min(to, most)
      const isZero = end > from && groups.slice(from, end).every((group) => group === 0)
      if (!isZero) return written.join(':')
      return `${written.slice(0, from).join(':')}::${written.slice(end).join(':')}`
    })
}

const four = fc.tuple(fc.nat({ max: 255 }), fc.nat({ max: 255 }), fc.nat({ max: 255 }), fc.nat({ max: 255 }))
const special = fc.constantFrom(
  [127, 0, 0, 1],
  [10, 0, 0, 1],
  [169, 254, 169, 254],
  [192, 168, 1, 1],
  [8, 8, 8, 8],
  [1, 1, 1, 1],
)
const octets = fc.oneof(four, special)
/** What stands before an IPv4 address that IPv6 carries: mapped, and translated in the two ways that there are. */
const before = fc.constantFrom([0, 0, 0, 0, 0, 0xffff], [0, 0, 0, 0, 0xffff, 0], [0x64, 0xff9b, 0, 0, 0, 0])

test('an IPv4 address that IPv6 carries is that address, in every spelling', () => {
  const carried = fc
    .tuple(octets, before)
    .chain(([[a = 0, b = 0, c = 0, d = 0], head]) =>
      spellings([...head, a * 256 + b, c * 256 + d]).map((text) => ({ text, plain: [a, b, c, d].join('.') })),
    )
  const allowed = networksOf(['10.0.0.0/8', '::ffff:192.168.0.0/112'])!
  fc.assert(
    fc.property(carried, ({ text, plain }) => {
      assert.ok(isIPv6(text), text)
      assert.is(oneSpelling(text), plain, text)
      assert.is(countedAs(text), countedAs(plain), text)
      assert.is(clientAddress(text, undefined, 0), plain, text)
      assert.is(clientAddress('9.9.9.9', `1.2.3.4, [${text}]:443`, 1), plain, text)
      for (const networks of [[], allowed]) assert.is(mayReach(text, networks), mayReach(plain, networks), text)
      assert.is(addressOf(text)?.range(), addressOf(plain)?.range(), text)
    }),
    { numRuns: 2_000 },
  )
  assert.ok(mayReach('::ffff:10.1.2.3', allowed) && mayReach('192.168.1.1', allowed))
})

test('every other address of IPv6 is one in every spelling too, and is counted by its /64', () => {
  const groups = fc.tuple(
    fc.nat({ max: 0xffff }),
    ...Array.from({ length: 7 }, () => fc.oneof(fc.constant(0), fc.nat({ max: 0xffff }))),
  )
  const twice = groups.chain((one) => fc.tuple(spellings(one), spellings(one), fc.constant(one)))
  fc.assert(
    fc.property(twice, ([first, second, one]) => {
      assert.is(oneSpelling(first), oneSpelling(second), `${first} ${second}`)
      assert.is(countedAs(first), countedAs(second))
      assert.is(mayReach(first, []), mayReach(second, []))
      if (one[0] !== 0 && one[0] !== 0x64)
        assert.is(
          countedAs(first),
          `${one
            .slice(0, 4)
            .map((group) => group.toString(16))
            .join(':')}::/64`,
        )
    }),
    { numRuns: 1_000 },
  )
})

test('what is no address is none', () => {
  for (const text of [
    '',
    '1.2.3',
    '010.0.0.1',
    '0x7f000001',
    '2130706433',
    '::ffff:1.2.3',
    '1.2.3.4.5',
    ':::',
    'a',
    '127.evil.example',
  ])
    assert.is(oneSpelling(text), undefined, text)
  for (const text of ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10/8', '::/129', '::ffff:10.0.0.0/8', 'a/8'])
    assert.is(subnetOf(text), undefined, text)
})

test.run()

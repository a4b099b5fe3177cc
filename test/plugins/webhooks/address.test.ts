/** Where webhooks may lead: refused when they are written, and at each connection, whatever a name leads to by then. */
import type { LookupAddress } from 'node:dns'
import { networkInterfaces } from 'node:os'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ForbiddenAddress, mayReach, networksOf, reachable, writtenWrong } from '../../../plugins/webhooks/address.ts'
import { post } from '../../../plugins/webhooks/send.ts'
import { saysAtBoot } from '../../plugin/application.ts'
import { libraryFiles, openLibrary, openReceiver } from './world.ts'

const test = suite('addresses of webhooks')

const NONE = networksOf([])!
const CLOSED = { http: true, networks: [], timeoutMs: 1_000 }

test('only public IP addresses are reached', () => {
  const closed = [
    ...[
      '0.0.0.0',
      '127.0.0.1',
      '127.255.0.9',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
    ],
    ...['100.64.0.1', '100.100.100.200', '198.18.0.1', '192.0.0.192', '192.0.2.1', '198.51.100.7', '203.0.113.9'],
    ...['224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:10.0.0.1',
      '::ffff:a9fe:a9fe',
      '::7f00:1',
      'fe80::1',
      'fe80::1%eth0',
    ],
    ...[
      'fc00::1',
      'fd00:ec2::254',
      'ff02::1',
      '64:ff9b::7f00:1',
      '64:ff9b:1::a00:1',
      '2002:7f00:1::',
      '2001::1',
      '2001:db8::1',
    ],
    ...['100::1', 'fec0::1', '3fff::1', '', 'no address', '1.2.3', '0x7f000001'],
  ]
  assert.equal(
    closed.filter((ip) => mayReach(ip, NONE)),
    [],
  )
  const open = ['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1', '::ffff:1.1.1.1']
  assert.equal(
    open.filter((ip) => !mayReach(ip, NONE)),
    [],
  )
  for (const one of Object.values(networkInterfaces()).flat()) assert.not.ok(mayReach(one!.address, NONE), one!.address)
})

test('an operator allows own networks, and those alone', () => {
  const allowed = networksOf(['10.1.0.0/16', 'fd00:1::/64'])!
  const reached = ['10.1.2.3', '10.2.0.1', 'fd00:1::5', 'fd00:2::5', '::ffff:10.1.2.3', '127.0.0.1']
  assert.equal(
    reached.filter((ip) => mayReach(ip, allowed)),
    ['10.1.2.3', 'fd00:1::5', '::ffff:10.1.2.3'],
  )
  assert.is(networksOf(['10.1.0.0/99']), undefined)
})

test('a network that is none is told at the start', async () => {
  const files = Object.entries(libraryFiles('networks: ["300.1.0.0/16"]')).map(([name, text]) => [
    `resources/${name}`,
    text,
  ])
  const said = await saysAtBoot(Object.fromEntries(files))
  assert.match(said.join('\n'), /"networks" of the plugin webhooks is no network/)
})

test('an address is refused when it is written, and says why', async () => {
  const library = await openLibrary('')
  const said = async (address: string): Promise<string> => {
    const answer = await library.call('POST', '/webhooks', { name: 'A', address, events: ['*'] })
    assert.is(answer.status, 422, address)
    return answer.body?.errors.address[0]
  }
  assert.match(await said('http://example.com/'), /begin with https/)
  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '2130706433',
    '0x7f.1',
    '127.1',
    '[::ffff:10.0.0.1]',
    '169.254.169.254',
  ])
    assert.match(await said(`https://${host}/`), /own network/, host)
  assert.type(await said('https://user:word@example.com/'), 'string')
  assert.match(await said('https://127.0.0.1:25/'), /port 25/)
  assert.match(await said('https://no-such-host.invalid/'), /cannot be found/)
  await library.close()
})

test('how an address may be written', () => {
  const strict = { http: false, networks: [], timeoutMs: 1 }
  for (const fine of ['https://example.com/hook?a=b', 'https://example.com:8443/', 'https://8.8.8.8/'])
    assert.is(writtenWrong(fine, strict), undefined, fine)
  for (const wrong of [
    'http://example.com',
    'ftp://example.com',
    'example.com',
    '/hook',
    'https://',
    'https://a@example.com',
    'https://example.com/#x',
    'https://example.com:22/',
  ])
    assert.is.not(writtenWrong(wrong, strict), undefined, wrong)
  assert.is(writtenWrong('http://example.com', { ...strict, http: true }), undefined)
})

test('a name with one closed address among open ones is refused', async () => {
  const mixed = async (): Promise<LookupAddress[]> => [
    { address: '1.1.1.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ]
  const error = await reachable('mixed.example', CLOSED, mixed).catch((reason: unknown) => reason)
  assert.instance(error, ForbiddenAddress)
  assert.match(String(error), /mixed.example leads into an own network/)
})

test('a name that changes after it was checked is refused by the connection itself', async () => {
  const receiver = await openReceiver()
  const answers = ['93.184.215.14', '127.0.0.1']
  const rebinding = async (): Promise<LookupAddress[]> => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]
  await reachable('rebinding.example', CLOSED, rebinding)
  const message = { address: `http://rebinding.example:${receiver.port}/`, headers: {}, body: '{}' }
  const around = { resolve: rebinding, signal: new AbortController().signal }
  const error = await post(message, CLOSED, around).catch((reason: unknown) => reason)
  assert.instance(error, ForbiddenAddress)
  assert.is(receiver.received.length, 0)
  const allowed = { ...CLOSED, networks: ['127.0.0.0/8'] }
  assert.is((await post(message, allowed, around)).status, 204, 'by the same way, where the network is allowed')
  await receiver.close()
})

test('an address that was allowed once is judged again at each delivery', async () => {
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f000001', 'localhost']) {
    const message = { address: `http://${host}:8080/`, headers: {}, body: '{}' }
    const { resolveByName: resolve } = await import('../../../plugins/webhooks/address.ts')
    const around = { resolve, signal: new AbortController().signal }
    assert.instance(await post(message, CLOSED, around).catch((reason: unknown) => reason), ForbiddenAddress, host)
  }
})

test.run()

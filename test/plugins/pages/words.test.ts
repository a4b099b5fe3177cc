/** The pages for signing in, accounts and links of mails in the language of their reader. */
import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { hashOf } from '../../../plugins/pages/page.ts'
import { type Desk, openDesk } from '../../desk/desk.ts'

let desk: Desk
const test = suite('languages of pages')

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk.close())

/** What the files of plugins say in German. */
function sentences(): ReadonlySet<string> {
  const files = readdirSync('plugins', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('de.words.yaml'),
  )
  return new Set(files.flatMap((name) => Object.keys(parse(readFileSync(`plugins/${name}`, 'utf8'))?.sentences ?? {})))
}

test('every text of a page has words in German', () => {
  const known = sentences()
  const files = readdirSync('plugins', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(auth|ldap|pages|desk.satisfaction).*\.ts$/.test(name),
  )
  const texts = files.flatMap((name) =>
    [...readFileSync(`plugins/${name}`, 'utf8').matchAll(/\{\{(\S[^{}$]*)\}\}/g)].map(([, text]) => text!),
  )
  assert.ok(texts.length > 80)
  assert.equal(
    texts.filter((text) => !known.has(text)),
    [],
  )
})

const PAGES: Readonly<Record<string, readonly [english: string, german: string]>> = {
  '/sign-in': ['<button>Sign in</button>', '<button>Anmelden</button>'],
  '/account': ['<h2>Your account</h2>', '<h2>Ihr Konto</h2>'],
  '/account/keys': ['<button>Make the key</button>', '<button>Schlüssel machen</button>'],
  '/password/reset': ['<h2>Forgot your password?</h2>', '<h2>Passwort vergessen?</h2>'],
  '/password/reset/a': ['Once more <input', 'Noch einmal <input'],
  '/email/verify/a': ['<button>This address is mine</button>', '<button>Diese Adresse gehört mir</button>'],
  '/satisfaction/a': ['3: neither', '3: weder noch'],
}

for (const [path, [english, german]] of Object.entries(PAGES))
  test(`${path} is in English and in German`, async () => {
    const page = async (language: string) => {
      const answer = await fetch(`${desk.address}${path}`, { headers: { 'accept-language': language } })
      const text = await answer.text()
      assert.is(answer.status, 200)
      assert.not.match(text, /\{\{/)
      const [, script = ''] = /<script>(.*)<\/script>/s.exec(text) ?? []
      assert.ok(answer.headers.get('content-security-policy')?.includes(hashOf(script)))
      // The script can be read: a translation has no quotation mark that ends a text.
      new Function(script)
      return text
    }
    const [one, other] = [await page('en'), await page('de-AT')]
    assert.ok(one.includes(english) && one.includes('<html lang="en">') && one.includes('Support Desk'))
    assert.ok(other.includes(german) && other.includes('<html lang="de">') && other.includes('Kundendienst'))
    assert.not.ok(other.includes(english))
  })

test.run()

/** The page on plugins and the interface say the same. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CONTRIBUTIONS } from '../../engine/plugin/contribution.ts'

const page = suite('plugins/README.md')

const text = readFileSync(new URL('../../plugins/README.md', import.meta.url), 'utf8')
const keys = Object.keys(CONTRIBUTIONS)

page('every kind of contribution has a row, and every row is one', () => {
  const table = text.slice(text.indexOf('## What it can contribute'), text.indexOf('## Each in a few lines'))
  const rows = [...table.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1])
  assert.equal(rows, keys)
})

page('every kind of contribution has an example', () => {
  const examples = text.slice(text.indexOf('## Each in a few lines'), text.indexOf('## What functions hold'))
  const shown = keys.filter(
    (key) => new RegExp(`^${key}: `, 'm').test(examples) || key === 'name' || key === 'description',
  )
  assert.equal(shown, keys)
})

page.run()

/** The one style of the pages for people: everything is read well, by day and by night. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { themeText } from '../../../plugins/pages/page.ts'
import { contrast } from '../../support/contrast.ts'

const test = suite('pages')

/** The colours of a style by their names: those of the light page, and what the dark one has instead. */
function colors(style: string): readonly [Record<string, string>, Record<string, string>] {
  const read = (text: string) =>
    Object.fromEntries([...text.matchAll(/--([\w-]+): (#[\da-f]{6})/g)].map(([, name, color]) => [name, color]))
  const [light = '', dark = ''] = style.split('@media (prefers-color-scheme: dark)')
  return [read(light), read(dark.slice(0, dark.indexOf('\n}\n')))]
}

test('text has the contrast of AA on the page and on cards, in light and in dark', () => {
  assert.match(themeText(), /^:root \{\n {2}color-scheme: light dark;/)
  for (const scheme of colors(themeText())) {
    for (const ground of ['ground', 'card'])
      for (const text of ['ink', 'soft', 'accent', 'good', 'bad'])
        assert.ok(contrast(scheme[text] ?? '', scheme[ground] ?? '') >= 4.5, `${text} on ${ground}: ${scheme[text]}`)
    assert.ok(contrast(scheme['on-accent'] ?? '', scheme.accent ?? '') >= 4.5)
  }
})

test('lines of charts stand out from their card', () => {
  const own = colors(readFileSync('plugins/desk/dashboards/page/dashboard.css', 'utf8'))
  colors(themeText()).forEach((scheme, at) => {
    for (const name of ['created', 'resolved', 'backlog'])
      assert.ok(contrast(own[at]?.[name] ?? '', scheme.card ?? '') >= 3, name)
  })
})

test.run()

/** Patches: what `git apply` makes of one is the changed text, and backwards the text before. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { patchOf } from '../../engine/text/patch.ts'

const patches = suite('patches of files')

const TEN = Array.from({ length: 10 }, (_, at) => `line ${at}\n`).join('')

patches('a patch has the changed lines with three around them', () => {
  assert.is(
    patchOf('a.yaml', TEN, TEN.replace('line 4\n', 'line four\nand more\n')),
    'diff --git a/a.yaml b/a.yaml\n--- a/a.yaml\n+++ b/a.yaml\n@@ -2,7 +2,8 @@\n line 1\n line 2\n line 3\n-line 4\n+line four\n+and more\n line 5\n line 6\n line 7\n',
  )
  assert.is(patchOf('a.yaml', TEN, TEN), '')
})

patches('git applies it, and takes it back: changes, new files, files that go, and ends without a line break', () => {
  const cases: readonly (readonly [string | undefined, string | undefined])[] = [
    [TEN, TEN.replace('line 0\n', '').replace('line 9\n', 'line 9')],
    [`${TEN}end`, `begin\n${TEN}end\n`],
    [undefined, TEN],
    [TEN, undefined],
    ['a\r\nb\r\n', 'a\r\nc\r\n'],
    [TEN, `${TEN.split('\n').reverse().join('\n')}\n`],
  ]
  for (const [before, after] of cases) {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-patch-'))
    const file = join(folder, 'x.yaml')
    const text = (): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
    const git = (...args: readonly string[]): void => {
      execFileSync('git', ['apply', ...args], { cwd: folder, input: patchOf('x.yaml', before, after) })
    }
    if (before !== undefined) writeFileSync(file, before)
    git()
    assert.is(text(), after)
    git('-R')
    assert.is(text(), before)
    rmSync(folder, { recursive: true })
  }
})

patches.run()

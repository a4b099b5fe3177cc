/** A folder becomes sources, in the order of their paths. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readSources } from '../../engine/definition/read.ts'

const test = suite('readSources')

async function folder(
  files: Readonly<Record<string, string | Uint8Array>>,
  look: (path: string) => Promise<void>,
): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'plinth-read-'))
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(join(path, name, '..'), { recursive: true })
      await writeFile(join(path, name), content)
    }
    await look(path)
  } finally {
    await rm(path, { recursive: true })
  }
}

test('reads app.yaml and every other YAML file, sub-folders too, sorted, and nothing else', async () => {
  const files = {
    'app.yaml': 'name: A',
    'b.yaml': 'b',
    'a/z.yaml': 'z',
    'README.md': '#',
    '.hidden.yaml': 'h',
    '.git/x.yaml': 'x',
    'n.json': '{}',
    'mails/m.liquid': 'Hello',
  }
  await folder(files, async (path) => {
    const { value, diagnostics } = await readSources(path)
    assert.equal(diagnostics, [])
    assert.is(value?.app.text, 'name: A')
    assert.equal(
      value?.texts.map((source) => source.text),
      ['Hello'],
    )
    assert.equal(
      value?.resources.map((source) => source.text),
      ['z', 'b'],
    )
  })
})

test('a folder that is a link is followed, and a link back to a folder above is not', async () => {
  await folder({ 'app.yaml': 'name: A', '.held/deep/a.yaml': 'a' }, async (path) => {
    await symlink(join(path, '.held'), join(path, 'shared'))
    await symlink(path, join(path, '.held/back'))
    const { value, diagnostics } = await readSources(path)
    assert.equal(diagnostics, [])
    assert.equal(
      value?.resources.map((source) => source.text),
      ['a'],
    )
  })
})

test('a link that leads out of the folder is told, to a folder or to a file of ours, and nothing of it is read', async () => {
  const files = { 'app/app.yaml': 'name: A', 'app/sub/notes.txt': 'x', 'beside/deep/a.yaml': 'a', 'app-2/b.yaml': 'b' }
  await folder(files, async (path) => {
    const app = join(path, 'app')
    await symlink('../beside', join(app, 'shared'))
    await symlink(join(path, 'app-2/b.yaml'), join(app, 'sub/b.yaml'))
    await symlink('/etc', join(app, 'sub/etc'))
    await symlink('/etc/hosts', join(app, 'hosts'))
    const { value, diagnostics } = await readSources(app)
    assert.equal(value?.resources, [])
    assert.equal(
      diagnostics.map(({ code, message }) => `${code} ${message.replace(/\S*plinth\S*?\/app/g, 'app')}`).toSorted(),
      ['app/shared', 'app/sub/b.yaml', 'app/sub/etc'].map(
        (link) => `source_unreadable ${link} is a link that leads out of app`,
      ),
    )
  })
})

test('an app.yaml in a sub-folder is a resource file like any other', async () => {
  await folder({ 'app.yaml': 'name: A', 'sub/app.yaml': 'resource: apps' }, async (path) => {
    const { value } = await readSources(path)
    assert.equal(
      value?.resources.map((source) => source.text),
      ['resource: apps'],
    )
  })
})

test('a missing app.yaml is a complaint', async () => {
  await folder({ 'b.yaml': 'b' }, async (path) => {
    const { value, diagnostics } = await readSources(path)
    assert.is(value, undefined)
    assert.equal(
      diagnostics.map((diagnostic) => diagnostic.code),
      ['missing_app'],
    )
  })
})

test('a folder that is not there is a complaint that names it', async () => {
  const { diagnostics } = await readSources('/nowhere/at/all')
  assert.is(diagnostics[0]?.code, 'source_unreadable')
  assert.match(diagnostics[0]?.message ?? '', 'nowhere/at/all cannot be read (there is no such file or folder)')
})

test('a byte order mark is no content, and other encodings are refused', async () => {
  const files = { 'app.yaml': '\ufeffname: A', 'latin.yaml': Uint8Array.of(0x6e, 0xe9, 0x0a) }
  await folder(files, async (path) => {
    const { value, diagnostics } = await readSources(path)
    assert.is(value?.app.text, 'name: A')
    assert.equal(
      diagnostics.map((diagnostic) => diagnostic.code),
      ['source_unreadable'],
    )
    assert.match(diagnostics[0]?.message ?? '', 'it is not UTF-8')
  })
})

test('a file that ends in .yml is not passed over in silence', async () => {
  await folder({ 'app.yml': 'name: A' }, async (path) => {
    const { diagnostics } = await readSources(path)
    assert.match(diagnostics[0]?.hint ?? '', /rename it to .*app\.yaml/)
  })
})

test('a link that leads nowhere is told as one', async () => {
  await folder({ 'app.yaml': 'name: A' }, async (path) => {
    await symlink('/nowhere/things.yaml', join(path, 'things.yaml'))
    const { diagnostics } = await readSources(path)
    assert.match(diagnostics[0]?.message ?? '', /things\.yaml cannot be read \(there is no such file or folder\)/)
    assert.match(diagnostics[0]?.hint ?? '', 'a link that leads nowhere')
  })
})

test('files are named relative to where the person works', async () => {
  const { value } = await readSources(join(process.cwd(), 'resources'))
  assert.is(value?.app.file, 'resources/app.yaml')
})

test.run()

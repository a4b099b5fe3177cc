/** A resource gets another name while it is served: who is signed in, who is told, and what was done go on. */
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AFTER, BEFORE, type Blog, blogFiles, fill, openBlog } from '../migration/blog.ts'
import { openReceiver, type Receiver } from '../plugins/webhooks/world.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const test = suite('a rename while it is served')

let held: TestDatabase
let folder: string
let receiver: Receiver
let blog: Blog

test.before(async () => {
  held = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'plinth-renamed-'))
  receiver = await openReceiver()
  blog = await openBlog(BEFORE, held.database, folder)
  await fill(blog, receiver)
})
test.after(async () => {
  await blog?.close()
  await receiver?.close()
  await held?.close()
  await rm(folder, { recursive: true, force: true })
})

test('roles, webhooks, activity and files have the later name with the first request', async () => {
  const { app, login, must } = blog
  const ed = await login('ed')
  const { resourcesDir } = app.engine.app.foundation.settings
  await unlink(join(resourcesDir, 'posts.yaml'))
  for (const [name, text] of Object.entries(blogFiles(AFTER))) await writeFile(join(resourcesDir, name), text)
  assert.equal(
    (await app.engine.reload()).filter(({ severity }) => severity === 'error'),
    [],
  )
  const listed = await app.call('GET', '/api/articles', { token: ed })
  assert.is(listed.status, 200, listed.text)
  const { id } = await must('POST', '/articles', { headline: 'The news' }, ed)
  const told = () => receiver.received.some(({ json }) => json.type === 'articles.create' && json.data.id === id)
  await until(told)
  const article = (await must('GET', '/articles?per_page=100')).find(
    ({ headline }: { readonly headline: string }) => headline === 'One more',
  )
  const { attachments } = await must('GET', `/articles/${article.id}`)
  assert.is(attachments.length, 1)
  assert.ok((await must('GET', `/articles/${article.id}/activity`)).length >= 3)
})

test('the files before are put back, which say nothing of it: all of it has the earlier name again', async () => {
  const { app, login, must } = blog
  const ed = await login('ed')
  const { resourcesDir } = app.engine.app.foundation.settings
  await unlink(join(resourcesDir, 'articles.yaml'))
  for (const [name, text] of Object.entries(blogFiles(BEFORE))) await writeFile(join(resourcesDir, name), text)
  assert.equal(
    (await app.engine.reload()).filter(({ severity }) => severity === 'error'),
    [],
  )
  const { id } = await must('POST', '/posts', { title: 'The news again' }, ed)
  const told = () => receiver.received.some(({ json }) => json.type === 'posts.create' && json.data.id === id)
  await until(told)
  const post = (await must('GET', '/posts?per_page=100')).find(
    ({ title }: { readonly title: string }) => title === 'One more',
  )
  assert.is((await must('GET', `/posts/${post.id}`)).attachments.length, 1)
  assert.ok((await must('GET', `/posts/${post.id}/activity`)).length >= 3)
})

test.run()

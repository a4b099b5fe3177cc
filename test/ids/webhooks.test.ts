/** Webhooks hear of records with integer ids alone, and the check says so where the ids are written. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application } from '../support/application.ts'

const test = suite('ids: webhooks')

test('a resource with other ids is not offered to webhooks', async () => {
  const resources = {
    'app.yaml':
      'name: Books\nplugins: { timestamps: {}, soft_delete: {}, jobs: {}, mail: {}, auth: {}, webhooks: {} }\n',
    'books.yaml':
      'resource: books\nid: uuid\nwebhooks: true\nfields: { title: { type: string } }\nactions: [list, get]\npolicies: { view: [{ who: anyone }] }\n',
  }
  const said = await application({ resources }).then(
    async (app) => {
      await app.close()
      return ''
    },
    (error: Error) => error.message,
  )
  assert.match(
    said,
    /books\.yaml:2:1 error webhooks\/id: Webhooks hear of records with integer ids, and those of "books" are uuid/,
  )
})

test.run()

/** Rules about the pairs of a many-to-many relation, where one side or both have other ids than integers. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application } from '../support/application.ts'

const test = suite('rules about links')

const POLICIES = `policies:
  view: [{ who: anyone }]
  create: [{ who: anyone }]
  update: [{ who: anyone }]
`

function filesWith(labels: string, papers: string): Readonly<Record<string, string>> {
  return {
    'app.yaml': 'name: Papers\n',
    'labels.yaml': `resource: labels
id: ${labels}
fields: { is_final: { type: boolean, default: false } }
relations: { papers: { many_to_many: papers, embed: [id] } }
rules:
  final_has_no_drafts:
    when: { is_final: true }
    must: { papers: { none: { is_draft: true } } }
    holds: always
    says: A final label takes no drafts
actions: [get, create, update]
${POLICIES}`,
    'papers.yaml': `resource: papers
id: ${papers}
fields: { is_draft: { type: boolean, default: false } }
relations: { labels: { many_to_many: labels, embed: [id] } }
actions: [get, create, update]
${POLICIES}`,
  }
}

for (const [labels, papers] of [
  ['uuid', 'integer'],
  ['integer', 'uuid'],
  ['bigint', 'uuid'],
  ['string', 'bigint'],
] as const)
  test(`${labels} and ${papers}: a link is judged from both sides`, async () => {
    const app = await application({ resources: filesWith(labels, papers) })
    try {
      const make = async (path: string, type: string, body: object): Promise<unknown> => {
        const id = type === 'string' ? { id: `one-${JSON.stringify(body).length}` } : {}
        const answer = await app.call('POST', path, { body: { ...body, ...id } })
        assert.is(answer.status, 201, answer.text)
        return answer.at('data.id')
      }
      const final = await make('/labels', labels, { is_final: true })
      const other = await make('/labels', labels, { is_final: false })
      const draft = await make('/papers', papers, { is_draft: true })
      const paper = await make('/papers', papers, { is_draft: false })
      const link = async (path: string, body: object): Promise<unknown> => {
        const { body: answer, status } = await app.call('PATCH', path, { body })
        return status === 200
          ? (answer.data.labels ?? answer.data.papers).map(({ id }: { id: unknown }) => id)
          : answer.message
      }
      assert.equal(await link(`/papers/${paper}`, { label_ids: [final, other] }), [final, other].sort())
      assert.equal(await link(`/papers/${draft}`, { label_ids: [other] }), [other])
      assert.is(await link(`/papers/${draft}`, { label_ids: [final] }), 'A final label takes no drafts')
      assert.is(await link(`/labels/${final}`, { paper_ids: [draft] }), 'A final label takes no drafts')
      assert.is(await link(`/papers/${paper}`, { is_draft: true }), 'A final label takes no drafts')
      assert.is(await link(`/labels/${other}`, { is_final: true }), 'A final label takes no drafts')
      assert.equal(await link(`/papers/${draft}`, { label_ids: [] }), [])
    } finally {
      await app.close()
    }
  })

test.run()

/**
 * Routes of a survey: the page behind its link, and the answer of the page. The page alone changes nothing, since
 * programs that look at mails open it too.
 */
import { invalid, type Reply, type Route, type RouteContext } from '../../../engine/index.ts'
import { tokenHash } from '../../keys/seal.ts'
import { formPage } from '../../pages/form-page.ts'

const HOUR_MS = 3_600_000

const page: Route = {
  method: 'GET',
  path: '/satisfaction/{token}',
  absolute: true,
  summary: 'The page behind the link of a survey: rate a solution',
  tag: 'satisfaction_ratings',
  access: 'public',
  openToRestricted: true,
  produces: ['text/html'],
  query: { rating: { type: 'integer', min: 1, max: 5 } },
  handle: formPage({
    title: '{{How did we do?}}',
    intro: '{{Rate the help that you got at}}',
    to: '/satisfaction/',
    form: `<label>{{How content are you?}} <select name="rating" required>
<option value="">{{Choose}}</option>
<option value="5">5: {{very content}}</option><option value="4">4: {{content}}</option><option value="3">3: {{neither}}</option>
<option value="2">2: {{not content}}</option><option value="1">1: {{not content at all}}</option></select></label>
<label>{{What would you like to tell us?}} <textarea name="comment" rows="5" maxlength="5000"></textarea></label>
<button>{{Send}}</button>`,
    script: `
form.rating.value = new URLSearchParams(location.search).get('rating') || ''
const requestOf = () => [token, { rating: Number(form.rating.value), ...(form.comment.value.trim() ? { comment: form.comment.value } : {}) }]`,
  }),
}

const answer: Route = {
  method: 'POST',
  path: '/satisfaction/{token}',
  summary: 'Rate a solution by the token of a link',
  description: 'Until the link expires, another answer replaces the one before.',
  tag: 'satisfaction_ratings',
  access: 'public',
  openToRestricted: true,
  bucket: 'auth',
  input: {
    rating: { type: 'integer', required: true, min: 1, max: 5 },
    comment: { type: 'text', max: 5000 },
  },
  handle: rate,
}

/** The rating of a valid link, locked. */
interface Asked {
  readonly id: number
  readonly rated_at: Date | string | null
  readonly expires_at: Date | string
}

async function rate(context: RouteContext): Promise<Reply> {
  const { body, options } = context
  await context.transaction(async ({ model, now, params, records }) => {
    const asked = await model('satisfaction_ratings')
      .query()
      .where({ token_hash: tokenHash(params.token ?? '') })
      .where('expires_at', '>', now())
      .forUpdate()
      .select('id', 'rated_at', 'expires_at')
      .first()
      .castTo<Asked | undefined>()
    if (asked === undefined) throw invalid({ token: ['The link is not valid any more'] })
    const ends = Math.min(
      new Date(asked.expires_at).getTime(),
      now().getTime() + Number(options.change_hours ?? 24) * HOUR_MS,
    )
    const fixed = {
      rating: Number(body.rating),
      comment: body.comment ?? null,
      // After an answer the link only works for corrections.
      ...(asked.rated_at === null ? { expires_at: new Date(ends).toISOString() } : {}),
    }
    await records('satisfaction_ratings', 'system').update(asked.id, {}, { fixed })
  })
  return { message: 'Thank you for your answer' }
}

export const answerRoutes: readonly Route[] = [page, answer]

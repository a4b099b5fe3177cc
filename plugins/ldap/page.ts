/** The page at /sign-in/ldap: the name and the password of the directory, in the style of the page at /sign-in. */
import { pageRoute } from '../auth/pages/page-route.ts'
import { SHARED } from '../auth/pages/script.ts'
import { nextOf } from '../auth/pages/sign-in.ts'
import { ofAuth } from '../auth/sign-in.ts'
import { escaped, rootOf, wholePage } from '../pages/page.ts'
import { directoryOf } from './options.ts'

const SCRIPT = `${SHARED}
const form = document.forms[0]
form.addEventListener('submit', tried(async () => {
  const body = { name: form.name_.value.trim(), password: form.password.value, session: 'cookie' }
  const { data, status } = await send('POST', '/auth/ldap', body)
  location.assign(status === 202 ? root + '/sign-in?next=' + encodeURIComponent(next) + stepText(data) : next)
}))
`

export const page = pageRoute({
  path: '/sign-in/ldap',
  summary: 'The page on which people sign in by a directory',
  description: 'The second step is on the page at /sign-in. Afterwards the browser goes on to `next`.',
  query: { next: { type: 'string', description: 'Where the browser goes on: a path of this application' } },
  handle: async (context) => {
    const root = escaped(rootOf(context))
    const label = escaped(directoryOf(context.options).label)
    const next = nextOf(ofAuth(context, {}))
    const main = `<main class="card form" data-api="${root}${escaped(context.catalog.prefix)}" data-root="${root}" data-next="${escaped(next)}">
<h2>{{Sign in with}} ${label}</h2>
<noscript><p class="notice bad">{{This page needs JavaScript.}}</p></noscript>
<form><label>{{Name at}} ${label} <input name="name_" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus></label>
<label>{{Password}} <input name="password" type="password" autocomplete="current-password" required></label>
<button>{{Sign in}}</button></form>
<output role="status" class="notice"></output>
<p class="links"><a href="${root}/sign-in?next=${escaped(encodeURIComponent(next))}">{{Sign in in another way}}</a></p>
</main>`
    return wholePage(context, { title: `{{Sign in with}} ${label}`, main, script: SCRIPT })
  },
})

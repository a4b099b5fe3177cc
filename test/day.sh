#!/bin/sh
# Plays a day of a support desk against `npm start` in an empty folder, and checks every answer.
# Needs npm, node and curl. DATABASE_URL and REDIS_URL are passed on; without them the desk is on its own.
# Ends with 1 at the first answer that is not the right one, and shows it.
set -u
cd "$(dirname "$0")/.." || exit 1

work=$(mktemp -d)
desk=
steps=0
PORT=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
root=http://127.0.0.1:$PORT
base=$root/api/v1
admin_password='a very long secret'
password='correct horse battery'
nobody='' # tokens, by who holds them
WHO='' METHOD='' URL='' SENT='' STATUS=''

start() {
  PORT=$PORT HOST=127.0.0.1 BASE_URL=$root DATA_DIR=$work/data ADMIN_EMAIL=boss@desk.example ADMIN_PASSWORD=$admin_password \
    RATE_LIMIT=1000 AUTH_RATE_LIMIT=${1:-100} npm start --silent 3>&- 4<&- >>"$work/log" 2>&1 &
  desk=$!
  tries=0
  until curl -sf -o /dev/null "$root/readyz"; do
    tries=$((tries + 1))
    if [ $tries -gt 400 ] || ! kill -0 "$desk" 2>/dev/null; then
      echo 'The desk does not start:'
      cat "$work/log"
      exit 1
    fi
    sleep 0.1
  done
}

stop() {
  [ -z "$desk" ] && return
  kill "$desk" 2>/dev/null
  wait "$desk" 2>/dev/null
  desk=
  # npm ends before what it started.
  tries=0
  while curl -s -o /dev/null "$root/livez" && [ $tries -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
  # The last thing that a desk gives up is its data.
  tries=0
  while grep -qs . "$work/data/database/postmaster.pid" && [ $tries -lt 50 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
}

trap 'stop; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# send WHO METHOD PATH [curl's arguments]: keeps the answer in $work/answer, its headers in $work/headers.
send() {
  WHO=$1 METHOD=$2 URL=$3
  shift 3
  SENT="$*"
  eval "token=\$$WHO"
  case $URL in //*) URL=$root${URL#/} ;; *) URL=$base$URL ;; esac
  STATUS=$(curl -s -g -X "$METHOD" "$URL" -H 'Accept: application/json' ${token:+-H "Authorization: Bearer $token"} \
    -D "$work/headers" -o "$work/answer" -w '%{http_code}' "$@")
}

# ask WHO METHOD PATH [JSON]
ask() {
  if [ $# -gt 3 ]; then send "$1" "$2" "$3" -H 'Content-Type: application/json' -d "$4"; else send "$1" "$2" "$3"; fi
}

# The judge: JavaScript over the last answer, in one process for the whole day. It reads a request as lines up to an empty
# one, STATUS EXPECTED [CONDITION [NAME=VALUE …]]; what it keeps or complains of is in $work/kept when it has said so.
mkfifo "$work/asked" "$work/told"
WORK=$work node -e '
  const { readdirSync, readFileSync, writeFileSync } = require("fs")
  const { WORK } = process.env
  const read = (name) => { try { return readFileSync(`${WORK}/${name}`, "utf8") } catch { return "" } }
  // The token of the link below a path in the mail to an address.
  const mailed = (to, path) => {
    const folder = `${WORK}/data/outbox`
    const files = readdirSync(folder).filter((name) => name.endsWith(".eml"))
    const mails = files.map((name) => readFileSync(`${folder}/${name}`, "utf8").replace(/=\r?\n/g, "").replaceAll("=3D", "="))
    const found = mails.filter((mail) => mail.includes(`To: ${to}`)).map((mail) => mail.split(`/${path}/`)[1])
    return /^[\w-]+/.exec(found.find(Boolean) ?? "")?.[0]
  }
  const judged = ([status, expected, condition = "true", ...names]) => {
    const text = read("answer"), headers = read("headers").toLowerCase()
    const body = text.startsWith("{") ? JSON.parse(text) : {}
    const { data, meta = {}, message, errors } = body
    if (status !== expected) throw new Error(`expected status ${expected}`)
    if (text.startsWith("{") && !/openapi/.test(text.slice(0, 20)) && body.success !== (status < 400)) throw new Error("success says otherwise")
    let holds = false
    try { holds = eval(condition) } catch (error) { throw new Error(`${condition}: ${error.message}`) }
    if (!holds) throw new Error(`expected ${condition}`)
    return names.map((one) => {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(one)
      return `${name}=\x27${String(eval(value)).replaceAll("\x27", "\x27\\\x27\x27")}\x27\n`
    }).join("")
  }
  let lines = []
  require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    if (line !== "") return lines.push(line)
    let verdict = "holds", kept = ""
    try { kept = judged(lines) } catch (error) { verdict = "fails", kept = error.message }
    lines = []
    writeFileSync(`${WORK}/kept`, kept)
    console.log(verdict)
  })' <"$work/asked" >"$work/told" &
exec 3>"$work/asked" 4<"$work/told"

# judge STATUS EXPECTED [CONDITION [NAME=VALUE …]]: whether it holds.
judge() {
  printf '%s\n' "$@" '' >&3
  verdict=
  read -r verdict <&4
  [ "$verdict" = holds ]
}

# must SENTENCE STATUS [CONDITION [NAME=VALUE …]]: over body, data, meta, errors, text and headers; values become variables.
must() {
  steps=$((steps + 1))
  sentence=$1
  shift
  if ! judge "$STATUS" "$@"; then
    printf '  ✘  %s\n\n%s\n\n%s %s as %s\n%s\n\nwas answered\n\n%s\n%s\n' "$sentence" "$(cat "$work/kept")" "$METHOD" "$URL" "$WHO" "$SENT" \
      "$(cat "$work/headers")" "$(head -c 3000 "$work/answer")"
    printf '\nThe desk said last:\n%s\n' "$(tail -5 "$work/log")"
    exit 1
  fi
  . "$work/kept"
  printf '  ✓  %s\n' "$sentence"
}

# soon WHO PATH CONDITION: reads until it holds, for what is done after an answer.
soon() {
  tries=0
  while [ $tries -lt 50 ]; do
    ask "$1" GET "$2"
    judge "$STATUS" "$STATUS" "$3" && return
    tries=$((tries + 1))
    sleep 0.1
  done
}

# login NAME EMAIL PASSWORD: keeps the token as NAME.
login() {
  ask nobody POST /auth/login '{"email": "'"$2"'", "password": "'"$3"'"}'
  must "$2 signs in" 200 'data.token_type === "Bearer" && meta.version === "v1"' "$1=data.token" "$1_id=data.user.id"
}

account() {
  printf '{"first_name": "%s", "last_name": "%s", "email": "%s", "password": "%s", "password_confirmation": "%s"%s}' \
    "$1" "$2" "$3" "$password" "${5:-$password}" "${4:-}"
}

chapter() { printf '\n%s\n' "$1"; }

# The token of the link below $2 in the mail to $1, as $link; the mail may still be on its way.
mailed() {
  tries=0
  link=none
  until judge "$STATUS" "$STATUS" "mailed('$1', '$2')" "link=mailed('$1', '$2')" && . "$work/kept"; do
    tries=$((tries + 1))
    [ $tries -gt 50 ] && return
    sleep 0.1
  done
}

chapter 'The desk opens'
start
send nobody GET //readyz
must 'The desk is ready' 200
ask nobody GET /tickets
must 'Without a token there is nothing to see' 401 'message === "Unauthenticated" && /www-authenticate: bearer/.test(headers)'
ask nobody GET /tickts
must 'A path that there is not is not found' 404 'message === "Route not found"'
ask nobody POST /auth/login '{"email": "boss@desk.example", "password": "wrong password"}'
must 'A wrong password is refused' 401 'message === "Invalid credentials" && /^x-ratelimit-remaining: \d+/m.test(headers)'
login admin boss@desk.example "$admin_password"

chapter 'People'
ask nobody POST /auth/register "$(account Cleo Kunde cleo@people.example)"
must 'Cleo registers and is a customer' 201 'data.user.role.slug === "customer" && !text.includes("password")' cleo=data.token cleo_id=data.user.id
ask nobody POST /auth/register "$(account Cleo Kunde CLEO@people.example)"
must 'An address is taken once, however it is written' 422 'errors.email.length === 1 && message === "Validation failed"'
ask nobody POST /auth/register "$(account Otto Kunde otto@people.example '' 'something else')"
must 'Passwords that differ are told' 422 'errors.password && errors.password_confirmation'
ask nobody POST /auth/register "$(account Otto Kunde otto@people.example)"
must 'Otto registers' 201 true otto=data.token otto_id=data.user.id
ask cleo GET /users/pending
must 'A customer does not see who waits for approval' 403
soon admin /notifications 'data.some((one) => one.type === "user_pending")'
must 'The admin is told of them' 200 'meta.unread_count >= 2'
ask admin GET /users/pending
must 'The admin sees both' 200 'data.length === 2 && meta.pagination.total === 2'
ask admin POST "/users/pending/$cleo_id/approve"
must 'Cleo is approved' 200 'data.status === "active"'
ask admin POST "/users/pending/$cleo_id/approve"
must 'and only once' 404 'message === "Pending user not found"'
mailed cleo@people.example email/verify
ask nobody POST /auth/email/verify '{"token": "'"$link"'"}'
must 'Cleo confirms her address by mail' 200 'data === null'
ask cleo GET /auth/me
must 'and is known by it' 200 'data.email_verified === true && data.pending_email === null'
ask admin GET '/settings/roles?sort=id'
must 'There are four roles' 200 'data.map((one) => one.slug).join() === "admin,manager,agent,customer"' manager_role='data[1].id' agent_role='data[2].id'
ask admin POST /users "$(account Mona Lenk mona@desk.example ', "role_id": '"$manager_role")"
must 'Mona becomes manager' 201 'data.role.slug === "manager"'
ask admin POST /users "$(account Alba Ruiz alba@desk.example ', "role_id": '"$agent_role")"
must 'Alba becomes agent' 201 'data.role.slug === "agent" && data.name === "Alba Ruiz"'
login mona mona@desk.example "$password"
login alba alba@desk.example "$password"
ask alba POST /settings/types '{"name": "Rumour"}'
must 'An agent changes no settings' 403
ask alba POST /organizations '{"name": "Acme", "city": "Graz"}'
must 'Alba notes an organization' 201 'data.contacts_count === 0' organization=data.id
ask alba POST /contacts '{"first_name": "Ida", "last_name": "Berg", "email": "ida@acme.example", "organization_id": '"$organization"'}'
must 'and a contact there' 201 'data.organization.name === "Acme" && data.name === "Ida Berg"'

chapter 'Knowledge'
ask alba POST /knowledge-base '{"title": "Reset the office printer", "details": "Hold the green button of the printer for five seconds, then print a test page."}'
must 'Alba writes an article' 201 true article=data.id
ask mona POST /faqs '{"name": "When are you open?", "details": "From eight to six.", "status": false}'
must 'Mona drafts a question' 201 'data.status === false' faq=data.id
ask cleo GET "/faqs/$faq"
must 'which Cleo does not see yet' 404
ask mona PATCH "/faqs/$faq" '{"status": true}'
must 'Mona publishes it' 200 'data.status === true'
ask cleo GET "/faqs/$faq"
must 'and now Cleo does' 200 'data.name === "When are you open?"'

chapter 'A ticket'
ask cleo POST /tickets '{"subject": "Printer broken", "details": "The office printer does not print at all", "prioriti_id": 1}'
must 'A key that there is not is refused, with the nearest one' 422 '/priority_id/.test(errors.prioriti_id[0])'
send cleo POST /tickets -H 'Content-Type: application/json' -H 'Idempotency-Key: once' -d '{"subject": "Printer broken 🖨", "details": "The office printer does not print at all", "tags": ["printer"]}'
must 'Cleo opens a ticket' 201 '/^\d{10}$/.test(data.uid) && data.status.slug === "open" && data.priority.name === "Medium"' ticket=data.id uid=data.uid
send cleo POST /tickets -H 'Content-Type: application/json' -H 'Idempotency-Key: once' -d '{"subject": "Printer broken 🖨", "details": "The office printer does not print at all", "tags": ["printer"]}'
must 'Sent again, it is the same one' 201 "data.id === $ticket && /idempotency-replayed: true/.test(headers)"
ask otto GET "/tickets/$ticket"
must 'Otto may not see it' 403
ask otto GET '/tickets?search=printer'
must 'nor find it' 200 'data.length === 0 && meta.pagination.total === 0'
soon mona /notifications 'data.some((one) => one.type === "ticket_created")'
must 'Mona is told of a ticket that nobody has' 200 'data[0].data.ticket_uid === "'"$uid"'"'
ask mona GET '/tickets?type=un_assigned&sort=-created_at'
must 'It waits unassigned' 200 "data.length === 1 && data[0].id === $ticket && !('comments' in data[0])"

chapter 'Triage by AI'
ask alba GET /ai/status
must 'The engine of the house is at work' 200 'data.enabled === true && data.provider === "local"'
ask alba POST "/ai/tickets/$ticket/classify"
must 'The ticket is classified' 200 'data.confidence >= 0 && data.confidence <= 1 && data.reasoning.length > 0 && data.applied === false' classification=data.id
ask alba POST "/ai/tickets/$ticket/apply-classification" '{"classification_id": '"$classification"'}'
must 'The classification is applied' 200 'data.applied === true && data.applied_at !== null'
ask alba GET "/ai/tickets/$ticket/classification-history"
must 'and stands in the history' 200 "data.some((one) => one.id === $classification)"
ask alba POST /ai/sentiment-analysis '{"text": "This is terrible, I am very angry and need help immediately!"}'
must 'An angry text is told as one' 200 'data.sentiment === "negative" && data.score < 0'
ask alba GET '/ai/knowledge-base/suggestions?query=printer+does+not+print&limit=3'
must 'The article about printers is found' 200 "data[0].id === $article && data[0].type === 'article'"
ask alba POST /ai/response-suggestions '{"ticket_id": '"$ticket"', "context": "be brief"}'
must 'Replies are suggested, with their sources' 200 'data.suggestions.length > 0 && data.suggestions.every((one) => Array.isArray(one.sources))'
ask cleo GET /ai/status
must 'Customers have no part in that' 403

chapter 'Work'
ask mona PUT "/tickets/$uid" '{"assigned_to": '"$alba_id"'}'
must 'Mona gives it to Alba, by its uid' 200 "data.assignedTo.id === $alba_id"
soon alba /notifications 'data.some((one) => one.type === "ticket_assigned")'
must 'Alba is told' 200 'meta.unread_count === 1'
ask alba GET "/tickets/$ticket"
must 'Alba reads it whole' 200 'data.comments.length === 0 && data.attachments.length === 0 && data.first_response_at === null'
printf 'Paper tray: empty\n' >"$work/tray.txt"
send cleo POST /media -F "file=@$work/tray.txt" -F "ticket_id=$ticket"
must 'Cleo attaches a file' 201 'data.name === "tray.txt" && data.size === 18 && data.mime_type.startsWith("text/plain")' file=data.id
send alba GET "/media/$file/download"
must 'Alba downloads it, byte for byte' 200 'text === "Paper tray: empty\n" && /content-disposition: attachment/.test(headers) && /nosniff/.test(headers)'
send otto GET "/media/$file/download"
must 'Otto does not' 403
printf 'MZ\220\000\003\000\000\000' >"$work/holiday.png"
send cleo POST /media -F "file=@$work/holiday.png"
must 'A program that calls itself a picture is refused' 422 'errors.file.length === 1'
ask alba POST "/tickets/$ticket/comments" '{"comment": "Is there paper in the tray?"}'
must 'Alba asks back' 201 'data.is_internal === false' comment=data.id
ask alba POST "/tickets/$ticket/comments" '{"comment": "Third time this month", "is_internal": true}'
must 'and keeps a note for colleagues' 201 'data.is_internal === true'
ask cleo GET "/tickets/$ticket"
must 'Cleo sees the question, the file, and not the note' 200 "data.comments.length === 1 && data.comments[0].id === $comment && data.comments_count === 1 && data.attachments.length === 1 && data.first_response_at !== null && !text.includes('Third time')"
ask cleo POST "/tickets/$ticket/comments" '{"comment": "psst", "is_internal": true}'
must 'Customers have no internal comments' 403
soon cleo /notifications 'data.some((one) => one.type === "ticket_commented")'
must 'Cleo is told of the answer alone' 200 'data.every((one) => one.type !== "ticket_internal_comment") && !text.includes("Third time")'

chapter 'A conversation'
ask alba POST /conversations '{"ticket_id": '"$ticket"', "type": "customer", "subject": "The printer"}'
must 'Alba opens a conversation' 201 'data.status === "open" && data.unread_count === 0' conversation=data.id
ask alba POST "/conversations/$conversation/messages" '{"message": "Could you hold the green button?"}'
must 'and writes' 201 'data.is_read === true || data.is_read === false'
ask cleo GET "/conversations/$conversation"
must 'Cleo has one unread message' 200 'data.unread_count === 1 && data.last_message.message === "Could you hold the green button?"'
ask cleo POST "/conversations/$conversation/mark-read"
must 'and reads it' 200
ask cleo POST "/conversations/$conversation/messages" '{"message": "It prints again!"}'
must 'and replies' 201 "data.conversation_id === $conversation"
ask alba GET "/conversations/$conversation/messages?per_page=1&page=2"
must 'Messages come in pages' 200 'data.length === 1 && meta.pagination.total === 2 && meta.pagination.last_page === 2'
ask alba GET "/tickets/$ticket"
must 'The ticket holds what was said' 200 'data.ticketEntries.map((one) => one.message).join("|") === "Could you hold the green button?|It prints again!"'
ask alba POST /conversations '{"ticket_id": '"$ticket"', "type": "internal"}'
must 'There is an internal conversation too' 201 true internal=data.id
ask cleo GET "/conversations/$internal"
must 'which is not for Cleo' 403
ask cleo GET '/conversations'
must 'nor in her list' 200 'data.length === 1 && meta.pagination.total === 1'

chapter 'The end of it'
ask alba GET '/settings/statuses?per_page=100'
must 'The statuses are known' 200 'data.length === 6' resolved='data.find((one) => one.slug === "resolved").id' closed='data.find((one) => one.slug === "closed").id'
ask alba GET "/tickets/$ticket"
must 'Alba has the newest version' 200 '/^etag: /m.test(headers)' etag='/^etag: (.*?)\r?$/m.exec(headers)[1]'
send alba PATCH "/tickets/$ticket" -H 'Content-Type: application/json' -H 'If-Match: "an-older-one"' -d '{"status_id": '"$resolved"'}'
must 'A change of an older version is refused' 412
ask alba PATCH "/tickets/$ticket" '{"status_id": '"$resolved"'}'
must 'Alba resolves it' 200 'data.status.slug === "resolved" && data.resolved_at !== null'
soon cleo /notifications 'data.some((one) => one.type === "ticket_status_changed")'
must 'Cleo is told' 200 'data[0].is_read === false' notification='data[0].id'
ask alba POST "/notifications/$notification/read"
must 'Her notifications are hers' 403
ask cleo POST "/notifications/$notification/read"
must 'Cleo reads it' 200 'data.is_read === true && data.read_at !== null'
ask cleo POST /notifications/read-all
must 'and all others' 200
ask cleo GET '/notifications?unread_only=true'
must 'Nothing is unread' 200 'data.length === 0 && meta.unread_count === 0'
ask cleo POST "/tickets/$ticket/comments" '{"comment": "It stopped again"}'
must 'Cleo writes once more' 201
ask cleo GET "/tickets/$ticket"
must 'which opens the ticket again' 200 'data.status.slug === "open"'
ask cleo PATCH "/tickets/$ticket" '{"assigned_to": null}'
must 'To assign is not for customers' 403
ask cleo PATCH "/tickets/$ticket" '{"status_id": '"$closed"'}'
must 'to close her own ticket is' 200 'data.status.slug === "closed" && data.closed_at !== null'
ask mona GET "/tickets/$ticket/activity"
must 'Who changed what is on record' 200 'data.length >= 4 && data.some((one) => one.user && one.user.id === '"$alba_id"')'

chapter 'Figures'
ask mona GET /dashboard
must 'The dashboard counts the day' 200 'data.total_tickets === 1 && data.closed_tickets === 1 && data.recent_tickets[0].id === '"$ticket"' && data.recent_activity.length > 0'
ask mona GET /dashboard/metrics
must 'One was reopened' 200 'data.created === 1 && data.reopened === 1 && data.first_response_time.average >= 0'
for figures in analytics performance charts; do
  ask mona GET "/dashboard/$figures"
  must "The $figures are there" 200 'Object.keys(data).length > 0 && !/NaN|Infinity/.test(text)'
done
ask otto GET /dashboard
must 'Otto has no tickets' 200 'data.total_tickets === 0'
ask otto GET /dashboard/analytics
must 'and no analytics' 403
send nobody GET //dashboard
must 'There is a page that draws them' 200 '/text\/html/.test(headers)'
today=$(node -p 'new Date().toISOString().slice(0, 10)')
ask mona POST /reports/generate '{"type": "tickets", "date_from": "'"$today"'", "date_to": "'"$today"'", "format": "csv"}'
must 'Mona makes a report' 201 'data.status === "completed" && data.format === "csv" && data.file.size > 0' report=data.id
send mona GET "/reports/$report/download"
must 'and downloads it' 200 '/text\/csv/.test(headers) && text.includes("'"$uid"'")'
ask mona GET "/reports/$report"
must 'and reads it' 200 'data.rows.length === 1 && data.created_by.name === "Mona Lenk"'
ask alba POST /reports/generate '{"type": "tickets"}'
must 'Reports are not for agents' 403

chapter 'Export and import'
send mona GET /tickets/export
must 'The tickets are exported' 200 '/text\/csv/.test(headers) && text.includes("Printer broken 🖨") && text.split("\n")[0].replace("\ufeff", "").startsWith("UID,Subject,Priority")'
cp "$work/answer" "$work/tickets.csv"
ask mona DELETE "/tickets/$ticket"
must 'The ticket is deleted' 204 'text === ""'
ask cleo GET "/tickets/$ticket"
must 'and gone' 404 'message === "Ticket not found"'
ask mona POST "/tickets/$ticket/restore"
must 'and brought back' 200 "data.uid === '$uid'"
send mona POST /tickets/import -F "file=@$work/tickets.csv"
must 'An import of the export adds nothing' 200 'data.total === 1 && data.skipped === 1 && data.imported === 0'
printf 'subject,priority,customer email,tags\n"Old, but good",High,cleo@people.example,a;b\nBad,No such priority,,\n' >"$work/old.csv"
send mona POST '/tickets/import?dry_run=true' -F "file=@$work/old.csv"
must 'A dry run tells what would be' 200 'data.imported === 1 && data.failed === 1 && data.ids.length === 0'
send mona POST /tickets/import -F "file=@$work/old.csv"
must 'The import takes what is right, and tells what is not' 200 'data.imported === 1 && data.failed === 1 && data.errors[0].row === 3' imported='data.ids[0]'
ask cleo GET "/tickets/$imported"
must 'What came in belongs to Cleo' 200 'data.subject === "Old, but good" && data.tags.join() === "a,b" && data.priority.name === "High"'

chapter 'The evening'
ask nobody POST /auth/password/reset '{"email": "cleo@people.example"}'
must 'Cleo has forgotten her password' 200 'data === null'
mailed cleo@people.example password/reset
ask nobody POST "/auth/password/reset/$link" '{"email": "cleo@people.example", "password": "another long one", "password_confirmation": "another long one"}'
must 'and chooses another by mail' 200
ask cleo GET /auth/me
must 'Her old sign-in is over' 401
login cleo cleo@people.example 'another long one'
ask cleo POST /auth/logout
must 'Cleo signs out' 200 'data === null'
ask cleo GET /auth/me
must 'and is out' 401
ask admin POST "/users/pending/$otto_id/decline"
must 'Otto is declined' 200
ask otto GET /tickets
must 'and out at once' 401
ask nobody POST /auth/login '{"email": "otto@people.example", "password": "'"$password"'"}'
must 'and does not come back' 403 'message === "Account is not active"'
send nobody GET //openapi.json
must 'All of it is described' 200 'body.openapi.startsWith("3.1") && body.paths["/api/v1/tickets/{id}"]'
send nobody GET //docs
must 'and can be read' 200 '/text\/html/.test(headers)'

chapter 'The next morning'
stop
start 5
ask alba GET "/tickets/$uid"
must 'Alba is still signed in, and nothing is lost' 200 'data.comments.length === 3 && data.ticketEntries.length === 2'
for attempt in 1 2 3 4 5; do
  ask nobody POST /auth/login '{"email": "alba@desk.example", "password": "guess number '$attempt'"}'
  must "Guess $attempt of Alba's password is wrong" 401 'message === "Invalid credentials"'
done
ask nobody POST /auth/login '{"email": "alba@desk.example", "password": "guess number 6"}'
must 'and then it is enough' 429 'message === "Too Many Requests" && /^retry-after: [1-9]/m.test(headers) && /x-ratelimit-remaining: 0/.test(headers)'
printf '\nA whole day, %s answers, all as they should be.\n' $steps

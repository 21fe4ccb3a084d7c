/* Code that verifies a webhook signature, in several languages. */

export type Language = 'typescript' | 'python' | 'shell';

export const LANGUAGES: readonly { value: Language; label: string }[] = [
  { value: 'typescript', label: 'TypeScript' },
  { value: 'python', label: 'Python' },
  { value: 'shell', label: 'Shell' },
];

export const VERIFY_SNIPPETS: Record<Language, string> = {
  typescript: `// npm install standardwebhooks
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

createServer(async (request, response) => {
  // Verify the raw body: parsing and serializing it again changes the bytes.
  const body = await text(request);
  try {
    const event = webhook.verify(body, request.headers);
    console.log(event.type, event.data);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(3000);
`,
  python: `# pip install standardwebhooks flask
import os
from flask import Flask, request
from standardwebhooks.webhooks import Webhook

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])

@app.post("/")
def receive():
    # Verify the raw body: parsing and serializing it again changes the bytes.
    event = webhook.verify(request.get_data(), dict(request.headers))
    print(event["type"], event["data"])
    return "", 204
`,
  shell: `# Computes the signature, to compare it by eye.
KEY=$(printf '%s' "\${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
printf '%s' "$WEBHOOK_ID.$WEBHOOK_TIMESTAMP.$BODY" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64
`,
};

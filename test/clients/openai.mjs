// Asks a question through OpenAI's own client for JavaScript and prints what came back as JSON.
// usage: node openai.mjs BASE_URL QUESTION
import OpenAI from "openai";

const [baseURL, question] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0, defaultHeaders: { Authorization: null } });
const messages = [{ role: "user", content: question }];

const models = [];
for await (const model of client.models.list()) models.push(model.id);

const whole = await client.chat.completions.create({ model: "plumb-quick", messages });

let streamed = "";
let reasoning = "";
let annotations = 0;
const stream = await client.chat.completions.create({ model: "plumb-quick", messages, stream: true, stream_options: { include_usage: true } });
for await (const chunk of stream) {
  const delta = chunk.choices[0]?.delta;
  streamed += delta?.content ?? "";
  reasoning += delta?.reasoning_content ?? "";
  annotations += delta?.annotations?.length ?? 0;
}

const missing = await client.chat.completions.create({ model: "gpt-none", messages }).catch((e) => ({ status: e.status, code: e.code }));

console.log(JSON.stringify({ models, whole: whole.choices[0].message.content, streamed, reasoning, annotations, missing }));

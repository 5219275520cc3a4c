package dev.weir.snapshot.s3;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.CorruptionException;
import dev.weir.failure.TransientException;
import dev.weir.failure.WeirException;
import java.net.SocketTimeoutException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;

/** Says in a sentence what went wrong with S3, and by the exception's class what to do. */
record S3Failures(S3Settings settings) {

    /** What was tried, and the permission that it needs. */
    enum Action {
        READ("read object", "s3:GetObject"),
        WRITE("write object", "s3:PutObject"),
        LIST("list objects that begin with", "s3:ListBucket"),
        DELETE("delete object", "s3:DeleteObject"),
        LIST_UPLOADS("list unfinished uploads of objects that begin with", "s3:ListBucketMultipartUploads"),
        ABORT("abort the unfinished upload of object", "s3:AbortMultipartUpload");

        private final String verb;
        private final String permission;

        Action(String verb, String permission) {
            this.verb = verb;
            this.permission = permission;
        }
    }

    private static final Set<String> PASSING = Set.of(
            "BadDigest",
            "ConditionalRequestConflict",
            "ExpiredToken",
            "InternalError",
            "OperationAborted",
            "RequestTimeout",
            "ServiceUnavailable",
            "SlowDown",
            "TokenRefreshRequired");
    private static final Set<String> WRONG_REGION = Set.of(
            "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException",
            "PermanentRedirect",
            "TemporaryRedirect");

    /** The exception to throw for one of the SDK. */
    WeirException of(Action action, String name, SdkException e) {
        var what = "Cannot " + action.verb + " " + name + " in " + location() + ": ";
        return e instanceof AwsServiceException answer ? refused(action, what, answer) : unanswered(what, e);
    }

    /** Whether the server says that the object is not there, but the bucket is. */
    static boolean isMissing(SdkException e) {
        return e instanceof AwsServiceException answer
                && answer.statusCode() == 404
                && !code(answer).equals("NoSuchBucket");
    }

    static boolean hasStatus(SdkException e, int status) {
        return e instanceof AwsServiceException answer && answer.statusCode() == status;
    }

    static String code(AwsServiceException e) {
        var details = e.awsErrorDetails();
        return details == null || details.errorCode() == null ? "" : details.errorCode();
    }

    /** The bucket and prefix. */
    String location() {
        return "s3://" + settings.bucket() + (settings.prefix().isEmpty() ? "" : "/" + settings.prefix());
    }

    ConfigurationException noBucket(@Nullable Exception cause) {
        return new ConfigurationException(
                "Cannot use " + location() + ": there is no bucket " + settings.bucket() + " at " + server()
                        + "; create it, or name another bucket or endpoint",
                cause);
    }

    private WeirException refused(Action action, String what, AwsServiceException e) {
        int status = e.statusCode();
        var code = code(e);
        var reason = "the server answered " + answer(e);
        if (code.equals("NoSuchBucket")) {
            return noBucket(e);
        }
        if (status == 301 || status == 307 || WRONG_REGION.contains(code)) {
            return new ConfigurationException(
                    what + "bucket " + settings.bucket() + " is " + regionOf(e) + ", not in " + region() + " (" + reason
                            + "); set the bucket's region or endpoint",
                    e);
        }
        if (status == 501) {
            return new ConfigurationException(
                    what + reason + "; use a server that implements this request with its headers", e);
        }
        if (status < 400
                || status >= 500
                || status == 408
                || status == 409
                || status == 412
                || status == 429
                || e.isThrottlingException()
                || PASSING.contains(code)) {
            return new TransientException(what + reason + "; try again", e);
        }
        if (status == 403 || status == 401) {
            return new ConfigurationException(
                    what + reason + "; check the credentials and allow them " + action.permission + " on it", e);
        }
        return new ConfigurationException(what + reason + "; correct the settings of the object store", e);
    }

    private WeirException unanswered(String what, SdkException e) {
        var reason = reason(e);
        if (reason.contains("Unable to load credentials")) {
            return new ConfigurationException(
                    what + "there are no AWS credentials: " + reason
                            + "; give some by environment, system properties, profile, web identity or instance role",
                    e);
        }
        if (reason.contains("different checksum than expected")) {
            return new CorruptionException(
                    what + reason
                            + "; the bytes are damaged, restore from another checkpoint or from a copy of the store",
                    e);
        }
        if (e instanceof ApiCallTimeoutException
                || e instanceof ApiCallAttemptTimeoutException
                || root(e) instanceof SocketTimeoutException) {
            return new TransientException(
                    what + server() + " did not answer within " + settings.attemptTimeout() + " per attempt and "
                            + settings.callTimeout() + " in all; try again",
                    e);
        }
        if (e instanceof AbortedException) {
            return new TransientException(what + "the thread was interrupted; try again", e);
        }
        return new TransientException(what + "no good answer from " + server() + ": " + reason + "; try again", e);
    }

    private String server() {
        return settings.endpoint() == null
                ? "Amazon S3 in " + region()
                : settings.endpoint().toString();
    }

    private String region() {
        return settings.region() == null ? "the default region" : "region " + settings.region();
    }

    private static String regionOf(AwsServiceException e) {
        var details = e.awsErrorDetails();
        var response = details == null ? null : details.sdkHttpResponse();
        return response == null
                ? "in another region"
                : response.firstMatchingHeader("x-amz-bucket-region")
                        .map(region -> "in region " + region)
                        .orElse("in another region");
    }

    private static String answer(AwsServiceException e) {
        var details = e.awsErrorDetails();
        var message = details == null ? null : details.errorMessage();
        var text = new StringBuilder().append(e.statusCode());
        if (!code(e).isEmpty()) {
            text.append(' ').append(code(e));
        }
        if (message != null) {
            text.append(" \"").append(message).append('"');
        }
        if (e.requestId() != null) {
            text.append(", request ").append(e.requestId());
        }
        return text.toString();
    }

    private static String reason(Throwable e) {
        var root = root(e);
        return root == e ? String.valueOf(e.getMessage()) : e.getMessage() + " (" + root + ")";
    }

    private static Throwable root(Throwable e) {
        var root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
